import { readFileSync } from 'node:fs';

/** Version of this package. The file lies beside index.ts, so that the path holds in the bundle too. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
