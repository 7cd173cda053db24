import { ownSlice } from './event-loop-slicing.js';

/** The longest work without a pause, so that a service continues to answer while a batch runs. */
const SLICE_NANOS = 500_000;
/**
 * The work before the first look at the clock, because the cost of a row is a guess until some rows
 * are answered.
 */
const FIRST_NANOS = SLICE_NANOS / 8;

/**
 * Calls `work` for one piece of the rows after another, and lets the event loop run in between.
 * Work of less than one slice runs at once. Pieces shrink when rows cost more than estimated.
 *
 * @param nanosPerRow estimated time of a row.
 * @param firstRows the largest length of the first piece: 1 when the cost is a guess.
 */
export async function inSlices(
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
    const start = performance.now();
    work(from, to);
    const nanos = (performance.now() - start) * 1e6;
    cost = Math.max(1, nanosPerRow, nanos / (to - from));
    left -= nanos;
    from = to;
  }
}
