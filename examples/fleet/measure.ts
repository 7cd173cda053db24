import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Enables the garbage collector without a flag on the command line.
setFlagsFromString('--expose-gc');
const collectGarbage: (options: object) => void = runInNewContext('gc');

/** Returns the resident set of the process in bytes, after garbage collection. */
function residentBytes(): number {
  for (let round = 0; round < 3; round++) {
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
  return process.memoryUsage.rss();
}

/**
 * The time that a function took, and the growth of the process's resident memory during the call.
 */
export interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

export async function costOf(step: () => Promise<void>): Promise<Cost> {
  const before = residentBytes();
  const started = performance.now();
  await step();
  const ms = performance.now() - started;
  return { ms, bytes: residentBytes() - before };
}

/** Returns the median of the given values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
