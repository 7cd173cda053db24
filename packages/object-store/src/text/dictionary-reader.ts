import { storeError } from '../errors.js';
import { alignedBytes } from './blob-layout.js';
import { checkDictionary } from './check-dictionary.js';
import {
  BUCKET_CELLS,
  bucketOf,
  DICTIONARY_MAGIC,
  DICTIONARY_VERSION,
  Field,
  fmix32,
  GRAM_NODES_CELL,
  hashBlock,
  hashGram,
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
const GRAM_NODES = GRAM_NODES_CELL;
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

/** Scratch of this thread, valid inside one call: cells where searches start, and keys of words. */
let homes = new Int32Array(0);
let keys = new Int32Array(0);

function reserve(count: number): void {
  if (homes.length >= count) return;
  keys = new Int32Array(count * 2 * 4);
  homes = new Int32Array(count * 2); // last: memory may run out before
}

/** Most buckets of which `bucketAt` can tell. */
const SCALED_BUCKETS = 2 ** 21;

/** What `bucketAt` multiplies hashes by; 0: too many buckets for it. */
const scaleOf = (buckets: number): number => (buckets <= SCALED_BUCKETS ? buckets / 2 ** 32 : 0);

/** `bucketOf` in one product: 53 bits hold it exactly when there are no more than 2^21 buckets. */
function bucketAt(h: number, buckets: number, scale: number): number {
  return scale === 0 ? bucketOf(h, buckets) : ((h >>> 0) * scale) | 0;
}

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

/**
 * Look-ups in a `BZNG` blob, in place. Nothing is allocated by a look-up; single-threaded by design (JavaScript), but the blob may be shared.
 *
 * Tables of millions of grams do not fit a cache. The methods over many words or grams therefore first compute all places and read a cell of each
 * bucket (and of its successor, where it overflowed), so that the processor fetches many cache lines at once, and only then compare keys.
 */
export class DictionaryReader {
  readonly columns: number;
  readonly minN: number;
  readonly maxN: number;
  /** Number of symbols of a character dictionary; 0: a word dictionary. */
  readonly alphabet: number;
  /** n-grams up to this size have a direct table. */
  readonly directMax: number;
  /** The blob. */
  readonly #bytes: Uint8Array;
  readonly #cells: Int32Array;
  readonly #fields: Uint32Array;
  readonly #symbolPageIndex: Uint16Array;
  readonly #wordTable: number;
  readonly #wordBuckets: number;
  readonly #wordSeed: number;
  readonly #gramTable: number;
  readonly #gramBuckets: number;
  readonly #gramSeed: number;
  readonly #symbolPages: number;
  readonly #aliases: number;
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: a use of cells read ahead, or V8 may drop the reads
  #touched = 0;

  /** @throws ERR_STORE_DICTIONARY when `bytes` is no dictionary of this version, or one whose look-ups would not end. */
  constructor(bytes: Uint8Array) {
    const blob = alignedBytes(bytes);
    const field = new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2);
    if (field[Field.magic] !== DICTIONARY_MAGIC || field[Field.version] !== DICTIONARY_VERSION) {
      throw storeError('ERR_STORE_DICTIONARY', {
        received: `not an n-gram dictionary of version ${DICTIONARY_VERSION}`,
      });
    }
    checkDictionary(blob, field);
    this.#bytes = blob;
    this.#fields = field;
    this.#cells = new Int32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2);
    this.columns = field[Field.columns]!;
    this.minN = field[Field.minN]!;
    this.maxN = field[Field.maxN]!;
    this.alphabet = field[Field.alphabet]!;
    this.directMax = field[Field.directMax]!;
    this.#wordTable = field[Field.wordTable]! >>> 2;
    this.#wordBuckets = field[Field.wordBuckets]!;
    this.#wordSeed = field[Field.wordSeed]! | 0;
    this.#gramTable = field[Field.gramTable]! >>> 2;
    this.#gramBuckets = field[Field.gramBuckets]!;
    this.#gramSeed = field[Field.gramSeed]! | 0;
    this.#symbolPages = field[Field.symbolPages]! >>> 2;
    this.#aliases = field[Field.aliases]! >>> 2;
    const pages = this.alphabet > 0 ? 0x1100 : 0;
    this.#symbolPageIndex = new Uint16Array(blob.buffer, blob.byteOffset + field[Field.symbolPageIndex]!, pages);
  }

  /** Output column of a node, or NONE for a mere prefix (and for NONE itself). */
  columnOf(node: number): number {
    return node < this.columns ? node : this.#cells[this.#aliases + node - this.columns]!;
  }

  /** Symbol of a code point in a character dictionary; 0 when no gram contains it. */
  symbolOf(codePoint: number): number {
    return this.#cells[this.#symbolPages + (this.#symbolPageIndex[codePoint >> 8]! << 8) + (codePoint & 0xff)]!;
  }

  /** Most UTF-8 bytes that a word has; -1 when there is none. Walks the table: for start-up. */
  longestWord(): number {
    let longest = -1;
    for (let bucket = 0; bucket < this.#wordBuckets; bucket++) {
      for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) {
        const last = this.#cells[this.#wordTable + bucket * CELLS + slot * 4 + 3]!;
        const mark = last >>> 24;
        if (mark <= SHORT) longest = Math.max(longest, mark);
        else if (mark === LONG) longest = Math.max(longest, last & 0xffffff);
      }
    }
    return longest;
  }

  /** Node of the one word that lies at `start .. end` of a text, or NONE. */
  findWord(text: DataView, start: number, end: number): number {
    const node = new Int32Array(1);
    this.findWords(text, Int32Array.of(start, end), 1, node);
    return node[0]!;
  }

  /**
   * `nodes[w]` = node of the word that lies at `bounds[2 * w] .. bounds[2 * w + 1]` of the text (UTF-8, folded), or NONE. `WORD_PADDING` bytes
   * follow the text.
   */
  findWords(text: DataView, bounds: Int32Array, count: number, nodes: Int32Array): void {
    if (this.#wordBuckets === 0) {
      nodes.fill(NONE, 0, count);
      return;
    }
    reserve(count);
    this.#readWords(text, bounds, count);
    this.#touch(count);
    this.#probeWords(text, bounds, count, nodes);
  }

  /** Keys of words, and where to search them. The key of a long one equals none of the table: its hash, 1 (0 there), and its length with the mark. */
  #readWords(text: DataView, bounds: Int32Array, count: number): void {
    const table = this.#wordTable;
    const buckets = this.#wordBuckets;
    const seed = this.#wordSeed;
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

  #probeWords(text: DataView, bounds: Int32Array, count: number, nodes: Int32Array): void {
    const cells = this.#cells;
    const [from, fromKeys] = [homes, keys];
    for (let word = 0; word < count; word++) {
      const home = from[word]! & CELL_MASK;
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
      } else if (w3 >>> 24 === LONG) {
        nodes[word] = this.#probeLong(text, bounds[2 * word]!, w3, w0, home);
      } else {
        nodes[word] = this.#probeShort(w0, fromKeys[key + 1]!, fromKeys[key + 2]!, w3, home);
      }
    }
  }

  /**
   * Reads from every home bucket, and then from the successor of each that overflowed. In loops of their own: the shorter they are, the more lines
   * are fetched at once. Four a turn, since V8 reads length and place of every array anew in every turn of a loop.
   */
  #touch(count: number): void {
    const cells = this.#cells;
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
    this.#touched = touched;
  }

  #probeShort(w0: number, w1: number, w2: number, w3: number, home: number): number {
    const cells = this.#cells;
    for (let bucket = home; ; bucket = this.#nextWordBucket(bucket)) {
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
    for (let bucket = home; ; bucket = this.#nextWordBucket(bucket)) {
      for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) {
        const key = bucket + slot * 4;
        if (cells[key + 3] !== mark || cells[key] !== h) continue;
        if (this.#isInPool(text, start, mark & 0xffffff, cells[key + 2]! >>> 0))
          return cells[bucket + WORD_NODES + slot]!;
      }
      if (cells[bucket + OVERFLOW] !== 1) return NONE;
    }
  }

  #nextWordBucket(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#wordTable + this.#wordBuckets * CELLS ? this.#wordTable : next;
  }

  #isInPool(text: DataView, start: number, length: number, offset: number): boolean {
    const from = this.#fields[Field.pool]! + offset;
    for (let byte = 0; byte < length; byte++) {
      if (this.#bytes[from + byte] !== text.getUint8(start + byte)) return false;
    }
    return true;
  }

  /** Node of the gram that continues the node `parent` with `symbol`, or NONE. Only for sizes above `directMax`. */
  findGram(parent: number, symbol: number): number {
    if (this.#gramBuckets === 0 || (parent | symbol) < 0) return NONE;
    const h = hashGram(parent, symbol, this.#gramSeed);
    return this.#probeGram(parent, symbol, this.#gramTable + bucketOf(h, this.#gramBuckets) * CELLS);
  }

  /** Continues `count` grams in place: `nodes[g] = findGram(nodes[g], symbols[from + g])`. */
  extendGrams(nodes: Int32Array, symbols: Int32Array, from: number, count: number): void {
    if (this.#gramBuckets === 0) {
      nodes.fill(NONE, 0, count);
      return;
    }
    reserve(count);
    const table = this.#gramTable;
    const buckets = this.#gramBuckets;
    const seed = this.#gramSeed;
    const scale = scaleOf(buckets);
    const searches = homes;
    for (let gram = 0; gram < count; gram++) {
      const node = nodes[gram]!;
      const symbol = symbols[from + gram]!;
      let home = 0; // the header: nothing to search
      if ((node | symbol) >= 0)
        home = (table + bucketAt(hashGram(node, symbol, seed), buckets, scale) * CELLS) & CELL_MASK;
      searches[gram] = home;
    }
    this.#touch(count);
    for (let gram = 0; gram < count; gram++) {
      const home = searches[gram]!;
      nodes[gram] = home === 0 ? NONE : this.#probeGram(nodes[gram]!, symbols[from + gram]!, home);
    }
  }

  /** Parents are compared first: those of a bucket nearly always differ. Unrolled, for a search that fails to be free of surprises. */
  #probeGram(parent: number, symbol: number, home: number): number {
    const cells = this.#cells;
    for (let at = home & CELL_MASK; ; at = this.#nextGramBucket(at) & CELL_MASK) {
      if (cells[at] === parent && cells[at + 1] === symbol) return cells[at + GRAM_NODES]!;
      if (cells[at + 2] === parent && cells[at + 3] === symbol) return cells[at + GRAM_NODES + 1]!;
      if (cells[at + 4] === parent && cells[at + 5] === symbol) return cells[at + GRAM_NODES + 2]!;
      if (cells[at + 6] === parent && cells[at + 7] === symbol) return cells[at + GRAM_NODES + 3]!;
      if (cells[at + 8] === parent && cells[at + 9] === symbol) return cells[at + GRAM_NODES + 4]!;
      if (cells[at + OVERFLOW] !== 1) return NONE;
    }
  }

  #nextGramBucket(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#gramTable + this.#gramBuckets * CELLS ? this.#gramTable : next;
  }

  /**
   * `nodes[i]` = node of the n-gram of symbols `i .. i + n`, for `count` of them, from the direct table of `n <= directMax`.
   * Unknown symbols need no test: their entries are NONE.
   */
  readDirect(n: number, symbols: Int32Array, count: number, nodes: Int32Array): void {
    const table = this.#fields[Field.directTables + n - 1]! >>> 2;
    const done = n === 3 ? this.#readTriples(table, symbols, count, nodes) : 0;
    const cells = this.#cells;
    const alphabet = this.alphabet;
    for (let gram = done; gram < count; gram++) {
      let index = 0;
      for (let place = gram; place < gram + n; place++) index = (Math.imul(index, alphabet) + symbols[place]!) | 0;
      nodes[gram] = cells[(table + index) & CELL_MASK]!;
    }
  }

  /**
   * `readDirect` of the usual size, for as many grams as four divides: their number is returned. V8 reads length and place of every array anew in
   * every turn of a loop, so that turns should be few.
   */
  #readTriples(first: number, symbols: Int32Array, count: number, nodes: Int32Array): number {
    const table = first & CELL_MASK;
    const cells = this.#cells;
    const alphabet = this.alphabet;
    const end = count & ~3;
    for (let gram = 0; gram < end; gram += 4) {
      const s1 = symbols[gram + 1]!;
      const s2 = symbols[gram + 2]!;
      const s3 = symbols[gram + 3]!;
      const s4 = symbols[gram + 4]!;
      const s5 = symbols[gram + 5]!;
      const pair0 = Math.imul(symbols[gram]!, alphabet) + s1;
      const pair1 = Math.imul(s1, alphabet) + s2;
      const pair2 = Math.imul(s2, alphabet) + s3;
      const pair3 = Math.imul(s3, alphabet) + s4;
      nodes[gram] = cells[(table + Math.imul(pair0, alphabet) + s2) & CELL_MASK]!;
      nodes[gram + 1] = cells[(table + Math.imul(pair1, alphabet) + s3) & CELL_MASK]!;
      nodes[gram + 2] = cells[(table + Math.imul(pair2, alphabet) + s4) & CELL_MASK]!;
      nodes[gram + 3] = cells[(table + Math.imul(pair3, alphabet) + s5) & CELL_MASK]!;
    }
    return end;
  }
}
