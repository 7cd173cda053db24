import { readFileSync } from 'node:fs';

/**
 * Returns the version in the package.json above this bundle: that of `brezel` once published, which
 * equals this package's.
 */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
