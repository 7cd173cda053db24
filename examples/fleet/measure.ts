import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// The garbage collector, without asking for a flag on the command line.
setFlagsFromString('--expose-gc');
const collectGarbage: (options: object) => void = runInNewContext('gc');

/** Bytes of memory the process holds (its resident set), once garbage is gone. */
function residentBytes(): number {
  for (let round = 0; round < 3; round++) {
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
  return process.memoryUsage.rss();
}

/** How long a step took, and how much memory the process holds more than before. */
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

/** The middle of some times; half of the calls were faster. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
