import type { Clock } from '@brezel/core';
import { ownSlice } from './event-loop-slicing.js';

/**
 * A batch pauses after about this many nanoseconds, so that the event loop can run other work of
 * the service. A row that takes longer is not interrupted.
 */
const SLICE_NANOS = 500_000;
/**
 * The first piece of a batch should take this many nanoseconds. It is short, because its measured
 * time corrects the estimated time of a row.
 */
const FIRST_NANOS = SLICE_NANOS / 8;

/**
 * Divides rows into pieces, calls `work` for each piece, and lets the event loop run after each
 * slice of 0.5 ms. The first piece runs immediately. If rows take longer than estimated, the next
 * pieces are smaller.
 *
 * If the clock does not advance, as in tests, the estimated time of the rows is used instead of the
 * measured time.
 *
 * @param nanosPerRow estimated nanoseconds of a row
 * @param firstRows maximal number of rows in the first piece; 1 if the time of a row is unknown
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
