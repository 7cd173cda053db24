import { ownSlice } from './event-loop-slicing.js';

/**
 * Work that may be done before the event loop gets its turn: a service must go on answering while a
 * batch runs.
 */
const SLICE_NANOS = 500_000;
/**
 * What a row costs is a guess until some were answered: as much of the first slice is done before
 * the clock is asked.
 */
const FIRST_NANOS = SLICE_NANOS / 8;

/**
 * Calls `work` for one piece of the rows after another, and lets the event loop run in between.
 * What fits into one slice of time is done at once. Pieces get smaller when rows turn out to cost
 * more than expected.
 *
 * @param nanosPerRow what a row is expected to cost.
 * @param firstRows length of the first piece, at most: 1 where the cost is a guess.
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
