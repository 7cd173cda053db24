import { bucketOf } from './dictionary.js';

// Searches many keys together in the tables of a dictionary. A table of millions of keys does not
// fit the CPU cache. So the first pass computes all bucket positions and reads one cell of each
// bucket: the processor then fetches many cache lines in parallel. The second pass compares keys.
// Only keys that may be in the next bucket go through both passes again. Fetching an unneeded cache
// line takes as long as fetching a needed line.

/**
 * The mask for indices of cells. All indices are below 2^30, so the mask changes none of them, but
 * V8 then omits the overflow check of each sum.
 */
const CELL_MASK = 0x3fffffff;

/**
 * Scratch arrays of this thread, valid during one lookup of many keys. `homes`: the first cell of
 * the bucket in which each search starts. `searched`: the index of the key of each search. `keys`:
 * the keys of words.
 */
export let homes = new Int32Array(0);
export let searched = new Int32Array(0);
export let keys = new Int32Array(0);

/**
 * Enlarges the scratch arrays to `count` searches and one more entry. A search for an unknown key
 * writes to this entry, and the next search overwrites it.
 */
export function reserve(count: number): void {
  if (homes.length > count) return;
  keys = new Int32Array(count * 2 * 4);
  searched = new Int32Array(count * 2 + 1);
  homes = new Int32Array(count * 2 + 1); // assigned last: an earlier allocation may fail
}

/**
 * With at most this many buckets, `bucketAt` multiplies in float64, because the product is exact.
 */
const SCALED_BUCKETS = 2 ** 21;

/**
 * Returns the factor by which `bucketAt` multiplies a hash. Returns 0 if a table has too many
 * buckets for exact products.
 */
export const scaleOf = (buckets: number): number => (buckets <= SCALED_BUCKETS ? buckets / 2 ** 32 : 0);

/**
 * Returns the same bucket as `bucketOf`, but with a single multiplication for up to 2^21 buckets. A
 * float64 then represents the product exactly, because it has 53 bits.
 */
export function bucketAt(h: number, buckets: number, scale: number): number {
  return scale === 0 ? bucketOf(h, buckets) : ((h >>> 0) * scale) | 0;
}

/**
 * Reads one cell of each bucket in `homes`, so that their cache lines are fetched in parallel.
 *
 * The loop is short and separate, so that the processor has more reads in flight. It handles four
 * buckets per iteration, because V8 reloads the length and address of every array in each
 * iteration.
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
