import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let loaded: typeof import('piscina') | undefined;

/** Piscina, loaded with the first thread: who needs no executor does not pay for it. */
export function loadPiscina(): typeof import('piscina') {
  loaded ??= require('piscina') as typeof import('piscina');
  return loaded;
}
