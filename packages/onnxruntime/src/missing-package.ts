import { backendError } from '@brezel/core';

/**
 * Returns whether an import failed because the package is not installed. If the result is false,
 * the package is installed but failed to load.
 */
export const isNotInstalled = (message: string, module: string): boolean =>
  /^Cannot find (package|module)/.test(message) && message.includes(module);

/** Returns what the user should do if a package is not installed or failed to load. */
export function installRemedy(module: string, message: string): string {
  if (isNotInstalled(message, module)) return `npm install ${module}`;
  return `reinstall ${module} for this system (${process.platform} ${process.arch}): npm rebuild ${module}`;
}

export function missingPackage(module: string, message: string): Error {
  const received = isNotInstalled(message, module) ? `${module} is not installed` : `${module}: ${message}`;
  return backendError('ERR_BACKEND_MISSING', { received, hint: installRemedy(module, message) });
}
