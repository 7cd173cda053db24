'use strict';
// Loads the addon. Without an addon, the runtime uses JavaScript kernels and may show
// `error.message`, which says how to install the addon.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

// scripts/gen-native-interface.mjs writes this fingerprint of index.d.ts.
const INTERFACE = 'addbe64dc03d5ad0';

const built = join(__dirname, 'build', 'Release', 'brezel.node');
const prebuilt = `@brezel/native-${process.platform}-${process.arch}`;

/**
 * Returns the paths where an addon may be: the local build, and the npm package for this platform.
 * npm installs only the package for the machine's C library.
 */
function candidates() {
  const chosen = process.env.BREZEL_NATIVE;
  if (chosen) return [chosen]; // for example, a build with sanitizers
  return [...(existsSync(built) ? [built] : []), prebuilt, `${prebuilt}-musl`];
}

/**
 * Returns what the user should do: build the addon in the repository, or install it with npm
 * elsewhere.
 */
function remedy() {
  return existsSync(join(__dirname, 'binding.gyp'))
    ? 'build it: npm run build:native (needs a C++20 compiler)'
    : `npm installs it as ${prebuilt} if there is one for this platform, unless optional dependencies are left out`;
}

/** Returns what the user should do with an addon that was built from other sources. */
function update() {
  return existsSync(join(__dirname, 'binding.gyp'))
    ? 'build it again: npm run build:native'
    : `install brezel and ${prebuilt} of the same version`;
}

function failure(message, cause) {
  const error = new Error(message, { cause });
  error.code = 'ERR_NATIVE_LOAD';
  return { addon: undefined, error };
}

function load() {
  if (process.env.BREZEL_NATIVE === 'off')
    return failure('the native addon is turned off by BREZEL_NATIVE=off; unset it to use the addon');
  let cause;
  let mismatch;
  for (const candidate of candidates()) {
    try {
      const addon = require(candidate);
      if (addon.interface === INTERFACE) return { addon, error: undefined };
      const received = addon.interface ?? 'an older one';
      mismatch ??= `expected the native addon ${candidate} for interface ${INTERFACE}, received ${received}`;
    } catch (error) {
      if (cause === undefined || error.code !== 'MODULE_NOT_FOUND') cause = error;
    }
  }
  if (mismatch !== undefined) return failure(`${mismatch}; ${update()}`);
  if (cause?.code === 'MODULE_NOT_FOUND') {
    return failure(`no native addon for ${process.platform}-${process.arch}; ${remedy()}`, cause);
  }
  return failure(`the native addon cannot be loaded (${cause.message}); ${remedy()}`, cause);
}

module.exports = load();
