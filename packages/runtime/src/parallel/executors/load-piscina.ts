import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let loaded: typeof import('piscina') | undefined;

/**
 * Loads the package piscina. Only code that starts threads calls this function, so runtimes without
 * threads do not load the package.
 */
export function loadPiscina(): typeof import('piscina') {
  loaded ??= require('piscina') as typeof import('piscina');
  return loaded;
}
