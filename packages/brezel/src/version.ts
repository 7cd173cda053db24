import { readFileSync } from 'node:fs';

/**
 * Returns the version of this package. This file must stay in the same folder as index.ts, so that
 * the relative path to package.json is also valid in the bundle.
 */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
