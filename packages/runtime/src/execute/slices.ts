import type { Clock } from '@brezel/core';
import { ownSlice } from './event-loop-slicing.js';

/**
 * A batch runs for at most this many nanoseconds without a pause, so that a service continues to
 * answer.
 */
const SLICE_NANOS = 500_000;
/**
 * The first piece of a batch has this many nanoseconds of estimated work. Its measured time
 * corrects the estimate.
 */
const FIRST_NANOS = SLICE_NANOS / 8;

/**
 * Calls `work` for one piece of the rows after another, and lets the event loop run between pieces.
 * If all rows fit in one slice, it calls `work` once, immediately. Pieces shrink when rows cost
 * more than estimated.
 *
 * If the clock does not advance, as in tests, a row counts as its estimated time.
 *
 * @param nanosPerRow estimated nanoseconds of a row
 * @param firstRows maximal length of the first piece; 1 if the cost is a guess
 */
export async function inSlices(
  clock: Clock,
  rows: number,
  nanosPerRow: number,
  work: (from: number, to: number) => void,
  firstRows = rows,
): Promise<void> {
  let cost = Math.max(1, nanosPerRow);
  let left = SLICE_NANOS;
  for (let from = 0; from < rows; ) {
    if (from > 0 && left < cost) {
      await ownSlice();
      left = SLICE_NANOS;
    }
    const most = from === 0 ? Math.min(firstRows, Math.floor(FIRST_NANOS / cost)) : Math.floor(left / cost);
    const to = Math.min(rows, from + Math.max(1, most));
    const start = clock.now();
    work(from, to);
    const nanos = (clock.now() - start) * 1e6 || cost * (to - from);
    cost = Math.max(1, nanosPerRow, nanos / (to - from));
    left -= nanos;
    from = to;
  }
}
