import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let loaded: typeof import('piscina') | undefined;

/**
 * Loads piscina when the first thread is needed, so that runtimes without executors do not load it.
 */
export function loadPiscina(): typeof import('piscina') {
  loaded ??= require('piscina') as typeof import('piscina');
  return loaded;
}
