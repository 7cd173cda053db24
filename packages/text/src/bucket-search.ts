import { bucketOf } from './dictionary.js';

// Searches many keys at once in the tables of a dictionary. A table of millions of keys does not
// fit the CPU cache. So the first pass computes all bucket positions and reads one cell of each
// bucket: the processor then fetches many cache lines in parallel. The second pass compares keys.
// Keys that may be in the next bucket go through both passes once more, because fetching an
// unneeded line costs as much as fetching a needed one.

/**
 * Masks cell indices, which are below 2^30. With the mask, V8 omits the overflow check of every
 * sum.
 */
const CELL_MASK = 0x3fffffff;

/**
 * Scratch arrays of this thread, valid during one call: start cells of the searches, indices of the
 * searched keys, and the keys of words.
 */
export let homes = new Int32Array(0);
export let searched = new Int32Array(0);
export let keys = new Int32Array(0);

/**
 * Enlarges the scratch arrays to `count` searches, plus one entry for an unknown key that the next
 * key overwrites.
 */
export function reserve(count: number): void {
  if (homes.length > count) return;
  keys = new Int32Array(count * 2 * 4);
  searched = new Int32Array(count * 2 + 1);
  homes = new Int32Array(count * 2 + 1); // assigned last: an earlier allocation may fail
}

/** `bucketAt` uses one float64 product up to this many buckets, because the product is exact. */
const SCALED_BUCKETS = 2 ** 21;

/** Returns the factor by which `bucketAt` multiplies hashes; 0 if there are too many buckets. */
export const scaleOf = (buckets: number): number => (buckets <= SCALED_BUCKETS ? buckets / 2 ** 32 : 0);

/**
 * Computes `bucketOf` by one product. A float64 has 53 bits, so it holds the product exactly for up
 * to 2^21 buckets.
 */
export function bucketAt(h: number, buckets: number, scale: number): number {
  return scale === 0 ? bucketOf(h, buckets) : ((h >>> 0) * scale) | 0;
}

/**
 * Reads one cell of each bucket in `homes`, so that their cache lines are fetched in parallel.
 *
 * It is a separate, short loop because the processor then has more reads in flight. It handles four
 * buckets per iteration because V8 reloads the length and address of every array in each iteration.
 *
 * @returns a value computed from the cells. The caller must store it, otherwise V8 may remove the
 * reads.
 */
export function readAhead(cells: Int32Array, count: number): number {
  const from = homes;
  let touched = 0;
  let search = 0;
  for (; search + 3 < count; search += 4) {
    touched ^= cells[from[search]! & CELL_MASK]! ^ cells[from[search + 1]! & CELL_MASK]!;
    touched ^= cells[from[search + 2]! & CELL_MASK]! ^ cells[from[search + 3]! & CELL_MASK]!;
  }
  for (; search < count; search++) touched ^= cells[from[search]!]!;
  return touched;
}
