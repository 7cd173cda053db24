import { readFileSync } from 'node:fs';

/**
 * Bytes of this process in memory: all of them (RSS), with each shared page divided among its users (PSS), those of no file, and
 * those that no other process has. Linux only.
 */
export function resident() {
  const rollup = readFileSync('/proc/self/smaps_rollup', 'utf8');
  const bytes = (/** @type {string} */ field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024;
  return {
    rss: bytes('Rss'),
    pss: bytes('Pss'),
    anonymous: bytes('Anonymous'),
    own: bytes('Private_Clean') + bytes('Private_Dirty'),
  };
}

/** As `resident`, after garbage is collected; run node with --expose-gc. */
export async function settled() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return resident();
}
