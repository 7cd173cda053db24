import { readFileSync } from 'node:fs';

/**
 * Returns the version in the package.json one folder above this bundle. In the published package,
 * this is the package.json of `brezel`.
 */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
