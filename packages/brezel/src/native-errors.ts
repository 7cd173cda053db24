import { BrezelError, thrower } from '@brezel/core';

/** An error of the addon or its installation. The user can fix the cause. */
export class NativeError extends BrezelError {}

export const nativeErrors = {
  ERR_NATIVE_MISSING: {
    message: 'the native addon is required (native: true) and cannot be used',
    hint: 'brezel doctor shows the state of the addon; omit the option native to run plans in JavaScript without the addon',
  },
  ERR_NATIVE_BUNDLED: {
    message: 'a bundler moved the code of brezel away from its files',
    hint: 'exclude brezel from the bundle (external), or let the bundler use the export condition "module"',
  },
} as const;

export const nativeError = thrower(NativeError, nativeErrors);
