import { ownTurn } from './turns.js';

/** Work that may be done before the event loop gets its turn: a service must go on answering while a batch runs. */
const SLICE_NANOS = 500_000;

/** Rows of `nanosPerRow` that are answered at a stretch. */
function rowsPerSlice(nanosPerRow: number): number {
  return Math.max(1, Math.floor(SLICE_NANOS / Math.max(1, nanosPerRow)));
}

/**
 * Calls `work` for one piece of the rows after another, and lets the event loop run in between. What fits into one piece is done at once. Pieces get
 * smaller when rows turn out to cost more than expected.
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
  let size = Math.min(firstRows, rowsPerSlice(nanosPerRow));
  for (let from = 0; from < rows; ) {
    if (from > 0) await ownTurn();
    const to = Math.min(rows, from + size);
    const start = performance.now();
    work(from, to);
    const measured = ((performance.now() - start) * 1e6) / (to - from);
    size = rowsPerSlice(Math.max(nanosPerRow, measured));
    from = to;
  }
}
