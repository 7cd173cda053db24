import { bucketAt, homes, keys, readAhead, reserve, scaleOf, searched } from './bucket-search.js';
import {
  BUCKET_CELLS,
  Field,
  fmix32,
  hashBlock,
  LONG_WORD_MARK,
  NONE,
  OVERFLOW_CELL,
  SHORT_WORD_BYTES,
  WORD_NODES_CELL,
  WORDS_PER_BUCKET,
} from './dictionary.js';

// Of its own constants V8 makes immediates; an imported one it reads from memory at every use.
const CELLS = BUCKET_CELLS;
const WORD_NODES = WORD_NODES_CELL;
const OVERFLOW = OVERFLOW_CELL;
const SHORT = SHORT_WORD_BYTES;
const LONG = LONG_WORD_MARK;
/** A blob has less than 2^30 cells; saying so spares an overflow check at every sum. */
const CELL_MASK = 0x3fffffff;

/** Bytes that must follow a text whose words are looked up: they are read 16 at a time. */
export const WORD_PADDING = 16;

/** Four cells a row: what is left of a block of 16 bytes that holds 0, 1, ..., 16 of a word. */
const masks = new Int32Array(17 * 4);
new Uint8Array(masks.buffer).forEach((_, at, bytes) => {
  bytes[at] = (at & 15) < at >> 4 ? 0xff : 0;
});

/** `hashWord` of a word of more than 15 bytes, where it lies. */
function hashLongWord(text: DataView, start: number, length: number, seed: number): number {
  let h = seed;
  for (let done = 0; done < length; done += 16) {
    const at = start + done;
    const mask = Math.min(16, length - done) * 4;
    const w0 = text.getInt32(at, true) & masks[mask]!;
    const w1 = text.getInt32(at + 4, true) & masks[mask + 1]!;
    const w2 = text.getInt32(at + 8, true) & masks[mask + 2]!;
    const w3 = text.getInt32(at + 12, true) & masks[mask + 3]!;
    h = hashBlock(w0, w1, w2, w3, h);
  }
  return fmix32(h ^ length);
}

/** The words of a dictionary, by their UTF-8 bytes. */
export class WordLookUps {
  /** The blob, in bytes and in cells. */
  readonly #bytes: Uint8Array;
  readonly #cells: Int32Array;
  /** Where the table starts, in cells. */
  readonly #table: number;
  readonly #buckets: number;
  readonly #seed: number;
  /** Where long words lie, in bytes. */
  readonly #pool: number;
  /** A use of cells read ahead, or V8 may drop the reads. */
  #touched = 0;

  constructor(bytes: Uint8Array, cells: Int32Array, fields: Uint32Array) {
    this.#bytes = bytes;
    this.#cells = cells;
    this.#table = fields[Field.wordTable]! >>> 2;
    this.#buckets = fields[Field.wordBuckets]!;
    this.#seed = fields[Field.wordSeed]! | 0;
    this.#pool = fields[Field.pool]!;
  }

  /** Most bytes that a word has; -1 when there is none. */
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

  /** `nodes[w]` = node of the word that lies at `bounds[2 * w] .. bounds[2 * w + 1]` of the text, or NONE. */
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
    for (let at = 0; at < open; at++) {
      const word = searched[at]!;
      nodes[word] = this.#probe(text, bounds[2 * word]!, word * 4, homes[at]!);
    }
  }

  /** Keys of words, and where to search them. The key of a long one equals none of the table: its hash, 1 (0 there), and its length with the mark. */
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
        h = hashBlock(w0, w1, w2, w3, seed);
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
   * Compares with the home buckets, and leaves the words to be searched further: their number is returned. Those are long ones, ones to be searched in
   * the next bucket, and those that have their first four bytes in common with a neighbour.
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
      // Which of three keys matches cannot be predicted: the first cells select one without a branch, and it is nearly always the one.
      const not1 = cells[home + 4]! ^ w0;
      const not2 = cells[home + 8]! ^ w0;
      const slot = (~((not1 | -not1) >> 31) & 1) | (~((not2 | -not2) >> 31) & 2);
      const at = home + slot * 4;
      if (
        slot !== 3 &&
        cells[at + 3] === w3 &&
        cells[at] === w0 &&
        cells[at + 1] === fromKeys[key + 1] &&
        cells[at + 2] === fromKeys[key + 2]
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
