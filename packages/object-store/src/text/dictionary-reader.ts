import { storeError } from '../errors.js';
import { alignedBytes } from './blob-layout.js';
import {
  BUCKET_CELLS,
  bucketOf,
  DICTIONARY_MAGIC,
  DICTIONARY_VERSION,
  Field,
  GRAM_NODES_CELL,
  hashGram,
  hashWord,
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
/** To the end of the next bucket: a third of all searches goes on there. */
const READ_AHEAD = 2 * BUCKET_CELLS - 1;

/** Scratch of this thread, valid inside one call: cells where searches start, hashes, and grams to search. */
let scratch = { homes: new Int32Array(0), hashes: new Int32Array(0), grams: new Int32Array(0) };

function reserve(count: number): typeof scratch {
  if (scratch.homes.length < count) {
    const room = count * 2;
    scratch = { homes: new Int32Array(room), hashes: new Int32Array(room), grams: new Int32Array(room) };
  }
  return scratch;
}

/** Most buckets of which `bucketAt` can tell. */
const SCALED_BUCKETS = 2 ** 21;

/** What `bucketAt` multiplies hashes by; 0: too many buckets for it. */
const scaleOf = (buckets: number): number => (buckets <= SCALED_BUCKETS ? buckets / 2 ** 32 : 0);

/** `bucketOf` in one product: 53 bits hold it exactly when there are no more than 2^21 buckets. */
function bucketAt(h: number, buckets: number, scale: number): number {
  return scale === 0 ? bucketOf(h, buckets) : ((h >>> 0) * scale) | 0;
}

/** `node + 1` where `difference` is 0, else 0: no branch. */
function nodeIf(difference: number, node: number): number {
  return ~((difference | -difference) >> 31) & (node + 1);
}

/**
 * Look-ups in a `BZNG` blob, in place. Nothing is allocated by a look-up; single-threaded by design (JavaScript), but the blob may be shared.
 *
 * Tables of millions of grams do not fit a cache. The methods over many words or grams therefore first compute all places and read a cell of each
 * bucket and its successor, so that the processor fetches many cache lines at once, and only then compare keys.
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

  /** @throws Error when `bytes` is no dictionary of this version. */
  constructor(bytes: Uint8Array) {
    const blob = alignedBytes(bytes);
    const field = new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2);
    if (field[Field.magic] !== DICTIONARY_MAGIC || field[Field.version] !== DICTIONARY_VERSION) {
      throw storeError('ERR_STORE_DICTIONARY', {
        received: `not an n-gram dictionary of version ${DICTIONARY_VERSION}`,
      });
    }
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

  /** Node of the word of `length` bytes laid out in blocks from `cells[at]` (see `hashWord`), or NONE. */
  findWord(cells: Int32Array, at: number, length: number): number {
    if (this.#wordBuckets === 0) return NONE;
    const h = hashWord(cells, at, length, this.#wordSeed);
    const home = this.#wordTable + bucketOf(h, this.#wordBuckets) * CELLS;
    return length <= SHORT ? this.#probeShort(cells, at, home) : this.#probeLong(cells, at, length, h, home);
  }

  /** `nodes[w] = findWord(blocks, starts[w], lengths[w])` for `count` words. */
  findWords(blocks: Int32Array, starts: Int32Array, lengths: Int32Array, count: number, nodes: Int32Array): void {
    if (this.#wordBuckets === 0) {
      nodes.fill(NONE, 0, count);
      return;
    }
    const { homes, hashes } = reserve(count);
    const table = this.#wordTable;
    const buckets = this.#wordBuckets;
    const seed = this.#wordSeed;
    const scale = scaleOf(buckets);
    for (let word = 0; word < count; word++) {
      const h = hashWord(blocks, starts[word]!, lengths[word]!, seed);
      const home = table + bucketAt(h, buckets, scale) * CELLS;
      hashes[word] = h;
      homes[word] = home;
    }
    this.#touch(homes, count);
    for (let word = 0; word < count; word++) {
      const at = starts[word]!;
      const length = lengths[word]!;
      nodes[word] =
        length <= SHORT
          ? this.#probeShort(blocks, at, homes[word]!)
          : this.#probeLong(blocks, at, length, hashes[word]!, homes[word]!);
    }
  }

  /** Reads from every home bucket and its successor. A loop of its own: the shorter it is, the more lines are fetched at once. */
  #touch(homes: Int32Array, count: number): void {
    const cells = this.#cells;
    const last = cells.length - 1;
    let touched = 0;
    for (let at = 0; at < count; at++) touched ^= cells[homes[at]!]! ^ cells[Math.min(homes[at]! + READ_AHEAD, last)]!;
    this.#touched = touched;
  }

  /** All three keys are compared, without branches: which one matches, if any, is unpredictable. */
  #probeShort(cells: Int32Array, at: number, home: number): number {
    const table = this.#cells;
    const w0 = cells[at]!;
    const w1 = cells[at + 1]!;
    const w2 = cells[at + 2]!;
    const w3 = cells[at + 3]!;
    for (let bucket = home & CELL_MASK; ; bucket = this.#nextWordBucket(bucket) & CELL_MASK) {
      const k0 =
        (table[bucket]! ^ w0) | (table[bucket + 1]! ^ w1) | (table[bucket + 2]! ^ w2) | (table[bucket + 3]! ^ w3);
      const k1 =
        (table[bucket + 4]! ^ w0) | (table[bucket + 5]! ^ w1) | (table[bucket + 6]! ^ w2) | (table[bucket + 7]! ^ w3);
      const k2 =
        (table[bucket + 8]! ^ w0) | (table[bucket + 9]! ^ w1) | (table[bucket + 10]! ^ w2) | (table[bucket + 11]! ^ w3);
      const found =
        nodeIf(k0, table[bucket + WORD_NODES]!) |
        nodeIf(k1, table[bucket + WORD_NODES + 1]!) |
        nodeIf(k2, table[bucket + WORD_NODES + 2]!);
      if (found !== 0 || table[bucket + OVERFLOW] === 0) return found - 1;
    }
  }

  #probeLong(cells: Int32Array, at: number, length: number, h: number, home: number): number {
    const table = this.#cells;
    const mark = length | (LONG << 24);
    for (let bucket = home; ; bucket = this.#nextWordBucket(bucket)) {
      for (let slot = 0; slot < WORDS_PER_BUCKET; slot++) {
        const key = bucket + slot * 4;
        if (table[key + 3] !== mark || table[key] !== h) continue;
        if (this.#isInPool(cells, at, length, table[key + 2]! >>> 0)) return table[bucket + WORD_NODES + slot]!;
      }
      if (table[bucket + OVERFLOW] === 0) return NONE;
    }
  }

  #nextWordBucket(bucket: number): number {
    const next = bucket + CELLS;
    return next === this.#wordTable + this.#wordBuckets * CELLS ? this.#wordTable : next;
  }

  #isInPool(cells: Int32Array, at: number, length: number, offset: number): boolean {
    const from = this.#fields[Field.pool]! + offset;
    for (let byte = 0; byte < length; byte++) {
      if (this.#bytes[from + byte] !== ((cells[at + (byte >> 2)]! >>> ((byte & 3) * 8)) & 0xff)) return false;
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
    const { homes, grams } = reserve(count);
    const table = this.#gramTable;
    const buckets = this.#gramBuckets;
    const seed = this.#gramSeed;
    const scale = scaleOf(buckets);
    let pending = 0;
    if (buckets > 0) {
      for (let gram = 0; gram < count; gram++) {
        grams[pending] = gram;
        pending += ((nodes[gram]! | symbols[from + gram]!) >>> 31) ^ 1; // kept unless either is NONE
      }
    }
    for (let at = 0; at < pending; at++) {
      const gram = grams[at]!;
      const h = hashGram(nodes[gram]!, symbols[from + gram]!, seed);
      homes[at] = table + bucketAt(h, buckets, scale) * CELLS;
    }
    this.#touch(homes, pending);
    let next = 0;
    for (let at = 0; at < pending; at++) {
      const gram = grams[at]!;
      const node = this.#probeGram(nodes[gram]!, symbols[from + gram]!, homes[at]!);
      while (next < gram) nodes[next++] = NONE;
      nodes[next++] = node;
    }
    while (next < count) nodes[next++] = NONE;
  }

  /** As `#probeShort`: five keys, no branches. */
  #probeGram(parent: number, symbol: number, home: number): number {
    const table = this.#cells;
    const end = this.#gramTable + this.#gramBuckets * CELLS;
    for (let bucket = home & CELL_MASK; ; ) {
      const found =
        nodeIf((table[bucket]! ^ parent) | (table[bucket + 1]! ^ symbol), table[bucket + GRAM_NODES]!) |
        nodeIf((table[bucket + 2]! ^ parent) | (table[bucket + 3]! ^ symbol), table[bucket + GRAM_NODES + 1]!) |
        nodeIf((table[bucket + 4]! ^ parent) | (table[bucket + 5]! ^ symbol), table[bucket + GRAM_NODES + 2]!) |
        nodeIf((table[bucket + 6]! ^ parent) | (table[bucket + 7]! ^ symbol), table[bucket + GRAM_NODES + 3]!) |
        nodeIf((table[bucket + 8]! ^ parent) | (table[bucket + 9]! ^ symbol), table[bucket + GRAM_NODES + 4]!);
      if (found !== 0 || table[bucket + OVERFLOW] === 0) return found - 1;
      bucket = (bucket + CELLS === end ? this.#gramTable : bucket + CELLS) & CELL_MASK;
    }
  }

  /**
   * `nodes[i]` = node of the n-gram of symbols `i .. i + n`, for `count` of them, from the direct table of `n <= directMax`.
   * Unknown symbols need no test: their entries are NONE.
   */
  readDirect(n: number, symbols: Int32Array, count: number, nodes: Int32Array): void {
    const table = this.#fields[Field.directTables + n - 1]! >>> 2;
    const cells = this.#cells;
    const alphabet = this.alphabet;
    const past = alphabet ** n; // weight of the symbol that leaves the window; modulo 2^32, like all of this
    let index = 0;
    for (let place = 0; place < n; place++) index = Math.imul(index, alphabet) + symbols[place]!;
    nodes[0] = cells[table + index]!;
    for (let gram = 1; gram < count; gram++) {
      const change = symbols[gram + n - 1]! - Math.imul(symbols[gram - 1]!, past);
      index = (Math.imul(index, alphabet) + change) | 0;
      nodes[gram] = cells[table + index]!;
    }
  }
}
