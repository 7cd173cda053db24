import { readFileSync } from 'node:fs';

/**
 * Returns the version in the package.json above this bundle. In the published package, that is the
 * package.json of `brezel`.
 */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
