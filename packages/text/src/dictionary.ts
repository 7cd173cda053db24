/**
 * The value of the first field of an n-gram dictionary (`BZNG`, native/README.md, section 3). The
 * layout, keys and hashes in this module are used by the builder and by the reader.
 */
export const DICTIONARY_MAGIC = 0x474e5a42;
export const DICTIONARY_VERSION = 1;

/**
 * The node or column of an n-gram that does not exist: 0xFFFFFFFF read as a signed integer. Nodes
 * and symbols are below 2^31, so V8 stores all of them as 32-bit integers.
 */
export const NONE = -1;

export const Field = {
  magic: 0,
  version: 1,
  columns: 2,
  minN: 3,
  maxN: 4,
  nodes: 5,
  wordBuckets: 6,
  wordTable: 7,
  gramBuckets: 8,
  gramTable: 9,
  pool: 10,
  poolBytes: 11,
  aliases: 12,
  wordSeed: 13,
  gramSeed: 14,
  alphabet: 15,
  symbolPageIndex: 16,
  symbolPages: 17,
  symbolPageCount: 18,
  directMax: 19,
  /** The first of four fields: the offsets of the direct tables for n = 1 to 4. */
  directTables: 20,
  totalBytes: 24,
} as const;
export const HEADER_FIELDS = 25;

export const BUCKET_BYTES = 64;
/**
 * The number of 32-bit cells in a bucket. The last cell is 1 if a search must continue in the next
 * bucket.
 */
export const BUCKET_CELLS = 16;
export const OVERFLOW_CELL = 15;
export const WORDS_PER_BUCKET = 3;
export const WORD_NODES_CELL = 12;
export const GRAMS_PER_BUCKET = 5;
export const GRAM_NODES_CELL = 10;

/**
 * The word table itself stores words of at most this many bytes. Longer words are stored after the
 * table.
 */
export const SHORT_WORD_BYTES = 15;
// V8 compiles a local constant to an immediate, but reads an exported one from memory
const SHORT = SHORT_WORD_BYTES;
export const LONG_WORD_MARK = 0xff;
export const EMPTY_WORD_MARK = 0xfe;
export const MAX_WORD_BYTES = 2 ** 24 - 1;

const C0 = 0x9e3779b1 | 0;
const C1 = 0x85ebca77 | 0;
const C2 = 0xc2b2ae3d | 0;
const C3 = 0x27d4eb2f | 0;

/** Mixes the bits of a number with the finalizer of MurmurHash3. */
export function fmix32(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function rotl(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Returns the hash of 16 bytes, given as four 32-bit words. */
export function hash16Bytes(w0: number, w1: number, w2: number, w3: number, seed: number): number {
  return fmix32(
    Math.imul(w0, C0) ^ rotl(Math.imul(w1, C1), 8) ^ rotl(Math.imul(w2, C2), 16) ^ rotl(Math.imul(w3, C3), 24) ^ seed,
  );
}

/**
 * Returns the hash of a word that starts at `cells[start]` and is padded with zeros to a multiple
 * of 16 bytes. Byte 15 of a short word is its length, so these 16 bytes are also its key.
 */
export function hashWord(cells: Int32Array, start: number, length: number, seed: number): number {
  if (length <= SHORT) return hash16Bytes(cells[start]!, cells[start + 1]!, cells[start + 2]!, cells[start + 3]!, seed);
  let h = seed;
  const end = start + (((length + 15) >> 4) << 2);
  for (let cell = start; cell < end; cell += 4) {
    h = hash16Bytes(cells[cell]!, cells[cell + 1]!, cells[cell + 2]!, cells[cell + 3]!, h);
  }
  return fmix32(h ^ length);
}

/**
 * Returns the hash of an n-gram. `parent` is the node of its first n - 1 symbols, and `symbol` is
 * its last symbol.
 */
export function hashGram(parent: number, symbol: number, seed: number): number {
  return fmix32(Math.imul(parent, C0) ^ rotl(Math.imul(symbol, C1), 16) ^ seed);
}

/**
 * Returns the bucket of a hash: `(h * buckets) >> 32` in unsigned 64-bit arithmetic. The function
 * multiplies two halves of the hash separately, because a float64 represents products only up to
 * 2^53 exactly.
 */
export function bucketOf(h: number, buckets: number): number {
  const low = Math.floor(((h & 0xffff) * buckets) / 0x10000);
  return (((h >>> 16) * buckets + low) / 0x10000) >>> 0;
}
