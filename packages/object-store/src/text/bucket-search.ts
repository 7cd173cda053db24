import { BUCKET_CELLS, bucketOf, OVERFLOW_CELL } from './dictionary.js';

// Searches of many keys at once in the tables of a dictionary. Tables of millions of keys do not fit a cache: first all places are computed and a cell of
// each bucket is read (and of its successor, where it overflowed), so that the processor fetches many cache lines at once, and only then keys are compared.

// Of its own constants V8 makes immediates; an imported one it reads from memory at every use.
const CELLS = BUCKET_CELLS;
const OVERFLOW = OVERFLOW_CELL;
/** A blob has less than 2^30 cells; saying so spares an overflow check at every sum. */
const CELL_MASK = 0x3fffffff;

/** Scratch of this thread, valid inside one call: cells where searches start, and keys of words. */
export let homes = new Int32Array(0);
export let keys = new Int32Array(0);

/** Makes room for so many searches. */
export function reserve(count: number): void {
  if (homes.length >= count) return;
  keys = new Int32Array(count * 2 * 4);
  homes = new Int32Array(count * 2); // last: memory may run out before
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
 * Reads from every home bucket, and then from the successor of each that overflowed. In loops of their own: the shorter they are, the more lines
 * are fetched at once. Four a turn, since V8 reads length and place of every array anew in every turn of a loop.
 *
 * @returns a use of what was read, to be kept: else V8 may drop the reads.
 */
export function readAhead(cells: Int32Array, count: number): number {
  const from = homes;
  const last = cells.length - 1;
  let touched = 0;
  let at = 0;
  for (; at + 3 < count; at += 4) {
    touched ^= cells[from[at]! & CELL_MASK]! ^ cells[from[at + 1]! & CELL_MASK]!;
    touched ^= cells[from[at + 2]! & CELL_MASK]! ^ cells[from[at + 3]! & CELL_MASK]!;
  }
  for (; at < count; at++) touched ^= cells[from[at]!]!;
  for (at = 0; at + 3 < count; at += 4) {
    const home0 = from[at]! & CELL_MASK;
    const home1 = from[at + 1]! & CELL_MASK;
    const home2 = from[at + 2]! & CELL_MASK;
    const home3 = from[at + 3]! & CELL_MASK;
    // The flag, 0 or 1, times the size of a bucket; masked, to tell V8 how small it is.
    const next0 = home0 + ((cells[home0 + OVERFLOW]! << 4) & CELLS);
    const next1 = home1 + ((cells[home1 + OVERFLOW]! << 4) & CELLS);
    const next2 = home2 + ((cells[home2 + OVERFLOW]! << 4) & CELLS);
    const next3 = home3 + ((cells[home3 + OVERFLOW]! << 4) & CELLS);
    touched ^= cells[Math.min(next0, last)]! ^ cells[Math.min(next1, last)]!;
    touched ^= cells[Math.min(next2, last)]! ^ cells[Math.min(next3, last)]!;
  }
  return touched;
}
