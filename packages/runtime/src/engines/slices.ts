import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';

/** Work that may be done before the event loop gets its turn: a service must go on answering while a batch runs. */
const SLICE_NANOS = 500_000;

/** Rows of `nanosPerRow` that are answered at a stretch. */
function rowsPerSlice(nanosPerRow: number): number {
  return Math.max(1, Math.floor(SLICE_NANOS / Math.max(1, nanosPerRow)));
}

/**
 * Calls `work` for one piece of the rows after another, and lets the event loop run in between. What fits into one piece is done at once.
 *
 * @param nanosPerRow what a row is expected to cost.
 */
export async function inSlices(
  rows: number,
  nanosPerRow: number,
  work: (from: number, to: number) => void,
): Promise<void> {
  const size = rowsPerSlice(nanosPerRow);
  for (let from = 0; from < rows; from += size) {
    if (from > 0) await turnOfTheEventLoop();
    work(from, Math.min(rows, from + size));
  }
}
