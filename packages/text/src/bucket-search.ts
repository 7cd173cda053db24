import { bucketOf } from './dictionary.js';

// Searches of many keys at once in the tables of a dictionary. Tables of millions of keys do not fit a cache: first all places are computed and a cell of
// each bucket is read, so that the processor fetches many cache lines at once, and only then keys are compared. What may lie in the bucket behind is
// left open, and goes through the same once more: a line that is not needed costs as much as one that is.

/** A blob has less than 2^30 cells; saying so spares an overflow check at every sum. */
const CELL_MASK = 0x3fffffff;

/** Scratch of this thread, valid inside one call: cells where searches start, which keys those are, and keys of words. */
export let homes = new Int32Array(0);
export let searched = new Int32Array(0);
export let keys = new Int32Array(0);

/** Makes room for so many searches, and one more that is overwritten. */
export function reserve(count: number): void {
  if (homes.length > count) return;
  keys = new Int32Array(count * 2 * 4);
  searched = new Int32Array(count * 2 + 1);
  homes = new Int32Array(count * 2 + 1); // last: memory may run out before
}

/** Most buckets of which `bucketAt` can tell. */
const SCALED_BUCKETS = 2 ** 21;

/** What `bucketAt` multiplies hashes by; 0: too many buckets for it. */
export const scaleOf = (buckets: number): number => (buckets <= SCALED_BUCKETS ? buckets / 2 ** 32 : 0);

/** `bucketOf` in one product: 53 bits hold it exactly when there are no more than 2^21 buckets. */
export function bucketAt(h: number, buckets: number, scale: number): number {
  return scale === 0 ? bucketOf(h, buckets) : ((h >>> 0) * scale) | 0;
}

/**
 * Reads from the buckets in `homes`. In a loop of its own: the shorter it is, the more lines are fetched at once. Four a turn, since V8 reads length
 * and place of every array anew in every turn of a loop.
 *
 * @returns a use of what was read, to be kept: else V8 may drop the reads.
 */
export function readAhead(cells: Int32Array, count: number): number {
  const from = homes;
  let touched = 0;
  let at = 0;
  for (; at + 3 < count; at += 4) {
    touched ^= cells[from[at]! & CELL_MASK]! ^ cells[from[at + 1]! & CELL_MASK]!;
    touched ^= cells[from[at + 2]! & CELL_MASK]! ^ cells[from[at + 3]! & CELL_MASK]!;
  }
  for (; at < count; at++) touched ^= cells[from[at]!]!;
  return touched;
}
