import { backendError } from '@brezel/core';

/** Whether an import failed because the package is not there, in distinction to one that cannot be loaded. */
export const isNotInstalled = (message: string, module: string): boolean =>
  /^Cannot find (package|module)/.test(message) && message.includes(module);

/** What to do about a package that is not installed, or does not load. */
export function installRemedy(module: string, message: string): string {
  if (isNotInstalled(message, module)) return `npm install ${module}`;
  return `reinstall ${module} for this system (${process.platform} ${process.arch}): npm rebuild ${module}`;
}

export function missingPackage(module: string, message: string): Error {
  const received = isNotInstalled(message, module) ? `${module} is not installed` : `${module}: ${message}`;
  return backendError('ERR_BACKEND_MISSING', { received, hint: installRemedy(module, message) });
}
