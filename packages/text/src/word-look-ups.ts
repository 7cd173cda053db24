import { bucketAt, homes, keys, readAhead, reserve, scaleOf, searched } from './bucket-search.js';
import {
  BUCKET_CELLS,
  Field,
  fmix32,
  hash16Bytes,
  LONG_WORD_MARK,
  NONE,
  OVERFLOW_CELL,
  SHORT_WORD_BYTES,
  WORD_NODES_CELL,
  WORDS_PER_BUCKET,
} from './dictionary.js';

// V8 compiles a module's own constants to immediates, but reads imported ones from memory at every
// use.
const CELLS = BUCKET_CELLS;
const WORD_NODES = WORD_NODES_CELL;
const OVERFLOW = OVERFLOW_CELL;
const SHORT = SHORT_WORD_BYTES;
const LONG = LONG_WORD_MARK;
/**
 * The mask for indices of cells. All indices are below 2^30, so the mask changes none of them, but
 * V8 then omits the overflow check of each sum.
 */
const CELL_MASK = 0x3fffffff;

/**
 * A text must be followed by at least this many bytes, because words are read 16 bytes at a time.
 */
export const WORD_PADDING = 16;

/** 17 masks of 16 bytes, which take four cells each. Mask `n` selects the first `n` bytes. */
const masks = new Int32Array(17 * 4);
new Uint8Array(masks.buffer).forEach((_, index, bytes) => {
  bytes[index] = (index & 15) < index >> 4 ? 0xff : 0;
});

/**
 * Computes the same hash as `hashWord` for a word with more than 15 bytes in a text, without
 * copying the word.
 */
function hashLongWord(text: DataView, start: number, length: number, seed: number): number {
  let h = seed;
  for (let done = 0; done < length; done += 16) {
    const block = start + done;
    const mask = Math.min(16, length - done) * 4;
    const w0 = text.getInt32(block, true) & masks[mask]!;
    const w1 = text.getInt32(block + 4, true) & masks[mask + 1]!;
    const w2 = text.getInt32(block + 8, true) & masks[mask + 2]!;
    const w3 = text.getInt32(block + 12, true) & masks[mask + 3]!;
    h = hash16Bytes(w0, w1, w2, w3, h);
  }
  return fmix32(h ^ length);
}

/** Looks up the words of a dictionary by their UTF-8 bytes. */
export class WordLookUps {
  /** The blob as bytes. `#cells` is the same blob as 32-bit integers. */
  readonly #bytes: Uint8Array;
  readonly #cells: Int32Array;
  /** The index of the cell at which the table starts. */
  readonly #table: number;
  readonly #buckets: number;
  readonly #seed: number;
  /** The offset in the blob, in bytes, at which the long words start. */
  readonly #pool: number;
  /** The result of `readAhead`. It is stored so that V8 does not remove the reads. */
  #touched = 0;

  constructor(bytes: Uint8Array, cells: Int32Array, fields: Uint32Array) {
    this.#bytes = bytes;
    this.#cells = cells;
    this.#table = fields[Field.wordTable]! >>> 2;
    this.#buckets = fields[Field.wordBuckets]!;
    this.#seed = fields[Field.wordSeed]! | 0;
    this.#pool = fields[Field.pool]!;
  }

  /** Returns the length of the longest word in bytes, or -1 if the table is empty. */
  longest(): number {
    let longest = -1;
    for (let bucket = 0; bucket < this.#buckets; bucket++) {
      for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) {
        const last = this.#cells[this.#table + bucket * CELLS + slot * 4 + 3]!;
        const mark = last >>> 24;
        if (mark <= SHORT) longest = Math.max(longest, mark);
        else if (mark === LONG) longest = Math.max(longest, last & 0xffffff);
      }
    }
    return longest;
  }

  /**
   * Looks up `count` words. Word `w` is at the bytes from `bounds[2 * w]` to `bounds[2 * w + 1]` of
   * the text. Its node, or NONE, is written to `nodes[w]`.
   */
  find(text: DataView, bounds: Int32Array, count: number, nodes: Int32Array): void {
    if (this.#buckets === 0) {
      nodes.fill(NONE, 0, count);
      return;
    }
    reserve(count);
    this.#read(text, bounds, count);
    this.#touched = readAhead(this.#cells, count);
    const open = this.#searchHomes(nodes, count);
    this.#touched ^= readAhead(this.#cells, open);
    for (let index = 0; index < open; index++) {
      const word = searched[index]!;
      nodes[word] = this.#probe(text, bounds[2 * word]!, word * 4, homes[index]!);
    }
  }

  /**
   * Computes the key and the home bucket of each word.
   *
   * The key that is computed for a long word contains a 1 where the keys in the table contain a 0.
   * It therefore never equals a key in the table, and `#probe` compares the word itself.
   */
  #read(text: DataView, bounds: Int32Array, count: number): void {
    const table = this.#table;
    const buckets = this.#buckets;
    const seed = this.#seed;
    const scale = scaleOf(buckets);
    const [to, toKeys] = [homes, keys];
    for (let word = 0; word < count; word++) {
      const start = bounds[2 * word]!;
      const length = bounds[2 * word + 1]! - start;
      const key = word * 4;
      let h: number;
      if (length <= SHORT) {
        const mask = length * 4;
        const w0 = text.getInt32(start, true) & masks[mask]!;
        const w1 = text.getInt32(start + 4, true) & masks[mask + 1]!;
        const w2 = text.getInt32(start + 8, true) & masks[mask + 2]!;
        const w3 = (text.getInt32(start + 12, true) & masks[mask + 3]!) | (length << 24);
        toKeys[key] = w0;
        toKeys[key + 1] = w1;
        toKeys[key + 2] = w2;
        toKeys[key + 3] = w3;
        h = hash16Bytes(w0, w1, w2, w3, seed);
      } else {
        h = hashLongWord(text, start, length, seed);
        toKeys[key] = h;
        toKeys[key + 1] = 1;
        toKeys[key + 3] = length | (LONG << 24);
      }
      to[word] = (table + bucketAt(h, buckets, scale) * CELLS) & CELL_MASK;
    }
  }

  /**
   * Compares the keys of the words with the keys in their home buckets. Returns how many words need
   * a longer search.
   *
   * A longer search is necessary for long words, and for words that may be in the next bucket. It
   * is also necessary if the first four bytes of a word equal those of another word in the bucket.
   */
  #searchHomes(nodes: Int32Array, count: number): number {
    const cells = this.#cells;
    const [words, starts, fromKeys] = [searched, homes, keys];
    let open = 0;
    for (let word = 0; word < count; word++) {
      const home = starts[word]! & CELL_MASK;
      const key = word * 4;
      const w0 = fromKeys[key]!;
      const w3 = fromKeys[key + 3]!;
      // A branch on the matching slot would be mispredicted. So the first cell of each key selects
      // the slot without a branch; the selection is nearly always right.
      const not1 = cells[home + 4]! ^ w0;
      const not2 = cells[home + 8]! ^ w0;
      const slot = (~((not1 | -not1) >> 31) & 1) | (~((not2 | -not2) >> 31) & 2);
      const index = home + slot * 4;
      if (
        slot !== 3 &&
        cells[index + 3] === w3 &&
        cells[index] === w0 &&
        cells[index + 1] === fromKeys[key + 1] &&
        cells[index + 2] === fromKeys[key + 2]
      ) {
        nodes[word] = cells[home + WORD_NODES + slot]!;
      } else if (slot !== 0 || w3 >>> 24 === LONG) {
        words[open] = word;
        starts[open++] = home;
      } else if (cells[home + OVERFLOW] === 1) {
        words[open] = word;
        starts[open++] = this.#next(home);
      } else {
        nodes[word] = NONE;
      }
    }
    return open;
  }

  #probe(text: DataView, start: number, key: number, home: number): number {
    const w0 = keys[key]!;
    const w3 = keys[key + 3]!;
    return w3 >>> 24 === LONG
      ? this.#probeLong(text, start, w3, w0, home)
      : this.#probeShort(w0, keys[key + 1]!, keys[key + 2]!, w3, home);
  }

  #probeShort(w0: number, w1: number, w2: number, w3: number, home: number): number {
    const cells = this.#cells;
    for (let bucket = home; ; bucket = this.#next(bucket)) {
      for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) {
        const key = bucket + slot * 4;
        if (cells[key] !== w0 || cells[key + 1] !== w1 || cells[key + 2] !== w2 || cells[key + 3] !== w3) continue;
        return cells[bucket + WORD_NODES + slot]!;
      }
      if (cells[bucket + OVERFLOW] !== 1) return NONE;
    }
  }

  #probeLong(text: DataView, start: number, mark: number, h: number, home: number): number {
    const cells = this.#cells;
    for (let bucket = home; ; bucket = this.#next(bucket)) {
      for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) {
        const key = bucket + slot * 4;
        if (cells[key + 3] !== mark || cells[key] !== h) continue;
        if (this.#isInPool(text, start, mark & 0xffffff, cells[key + 2]! >>> 0))
          return cells[bucket + WORD_NODES + slot]!;
      }
      if (cells[bucket + OVERFLOW] !== 1) return NONE;
    }
  }

  #next(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#table + this.#buckets * CELLS ? this.#table : next;
  }

  #isInPool(text: DataView, start: number, length: number, offset: number): boolean {
    const from = this.#pool + offset;
    for (let byte = 0; byte < length; byte++) {
      if (this.#bytes[from + byte] !== text.getUint8(start + byte)) return false;
    }
    return true;
  }
}
