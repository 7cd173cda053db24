import { readFileSync } from 'node:fs';

/**
 * Returns the version of this package. The file is beside index.ts, so that the path is also valid
 * in the bundle.
 */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
