import { storeError } from '@brezel/object-store';
import { alignedBytes } from './blob-layout.js';
import { checkDictionary } from './check-dictionary.js';
import { DICTIONARY_MAGIC, DICTIONARY_VERSION, Field } from './dictionary.js';
import { GramLookUps } from './gram-look-ups.js';
import { WordLookUps } from './word-look-ups.js';

export { WORD_PADDING } from './word-look-ups.js';

/**
 * The mask for indices of cells. All indices are below 2^30, so the mask changes none of them, but
 * V8 then omits the overflow check of each sum.
 */
const CELL_MASK = 0x3fffffff;

/**
 * Looks up words and n-grams in a `BZNG` blob. It reads the blob in place. A lookup of many keys
 * allocates memory only if it needs larger scratch arrays than all lookups before it. Several
 * threads may use the same blob, because each thread has its own scratch arrays.
 */
export class DictionaryReader {
  readonly columns: number;
  readonly minN: number;
  readonly maxN: number;
  /**
   * The number of symbols of a character dictionary, including 0 for unknown characters. 0 for a
   * word dictionary.
   */
  readonly alphabet: number;
  /** N-grams up to this size are found in direct tables, without hashing. */
  readonly directMax: number;
  readonly #words: WordLookUps;
  readonly #grams: GramLookUps;
  /** The blob as 32-bit cells. */
  readonly #cells: Int32Array;
  readonly #fields: Uint32Array;
  readonly #symbolPageIndex: Uint16Array;
  readonly #symbolPages: number;
  readonly #aliases: number;

  /**
   * Checks the blob and opens it.
   *
   * @throws ERR_STORE_DICTIONARY when `bytes` is not a dictionary of this version, or when its
   * lookups would not end.
   */
  constructor(bytes: Uint8Array) {
    const blob = alignedBytes(bytes);
    const field = new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2);
    if (field[Field.magic] !== DICTIONARY_MAGIC || field[Field.version] !== DICTIONARY_VERSION) {
      throw storeError('ERR_STORE_DICTIONARY', {
        received: `not an n-gram dictionary of version ${DICTIONARY_VERSION}`,
      });
    }
    checkDictionary(blob, field);
    this.#fields = field;
    this.#cells = new Int32Array(blob.buffer, blob.byteOffset, blob.byteLength >> 2);
    this.columns = field[Field.columns]!;
    this.minN = field[Field.minN]!;
    this.maxN = field[Field.maxN]!;
    this.alphabet = field[Field.alphabet]!;
    this.directMax = field[Field.directMax]!;
    this.#words = new WordLookUps(blob, this.#cells, field);
    this.#grams = new GramLookUps(this.#cells, field);
    this.#symbolPages = field[Field.symbolPages]! >>> 2;
    this.#aliases = field[Field.aliases]! >>> 2;
    const pages = this.alphabet > 0 ? 0x1100 : 0;
    this.#symbolPageIndex = new Uint16Array(blob.buffer, blob.byteOffset + field[Field.symbolPageIndex]!, pages);
  }

  /**
   * Returns the output column of a node. Returns NONE if the node is NONE, or if it is only the
   * prefix of an n-gram.
   */
  columnOf(node: number): number {
    return node < this.columns ? node : this.#cells[this.#aliases + node - this.columns]!;
  }

  /**
   * Returns the number of a code point in a character dictionary. Returns 0 if no n-gram contains
   * the code point.
   */
  symbolOf(codePoint: number): number {
    return this.#cells[this.#symbolPages + (this.#symbolPageIndex[codePoint >> 8]! << 8) + (codePoint & 0xff)]!;
  }

  /**
   * Returns the length of the longest word in UTF-8 bytes, or -1 if the dictionary has no words. It
   * scans the whole table, so call it only once.
   */
  longestWord(): number {
    return this.#words.longest();
  }

  /**
   * Returns the node of the word at the bytes from `start` to `end` of a text. Returns NONE if the
   * dictionary does not contain the word.
   */
  findWord(text: DataView, start: number, end: number): number {
    const node = new Int32Array(1);
    this.#words.find(text, Int32Array.of(start, end), 1, node);
    return node[0]!;
  }

  /**
   * Looks up `count` words of a folded UTF-8 text. Word `w` is at the bytes from `bounds[2 * w]` to
   * `bounds[2 * w + 1]`. Its node, or NONE, is written to `nodes[w]`.
   *
   * `WORD_PADDING` bytes must follow the text.
   */
  findWords(text: DataView, bounds: Int32Array, count: number, nodes: Int32Array): void {
    this.#words.find(text, bounds, count, nodes);
  }

  /**
   * Returns the node of the n-gram that extends the n-gram of node `parent` by `symbol`, or NONE if
   * the dictionary does not contain it. Only for n-grams longer than `directMax`.
   */
  findGram(parent: number, symbol: number): number {
    return this.#grams.find(parent, symbol);
  }

  /**
   * Extends `count` n-grams by one symbol each: `nodes[g] = findGram(nodes[g], symbols[from + g])`.
   */
  extendGrams(nodes: Int32Array, symbols: Int32Array, from: number, count: number): void {
    this.#grams.extend(nodes, symbols, from, count);
  }

  /**
   * Looks up `count` n-grams in the direct table for n, which must be at most `directMax`. Writes
   * the node of the n-gram that starts at symbol `i` to `nodes[i]`.
   *
   * Unknown symbols need no test, because the table contains NONE for them.
   */
  readDirect(n: number, symbols: Int32Array, count: number, nodes: Int32Array): void {
    const table = this.#fields[Field.directTables + n - 1]! >>> 2;
    const done = n === 3 ? this.#readTriples(table, symbols, count, nodes) : 0;
    const cells = this.#cells;
    const alphabet = this.alphabet;
    for (let gram = done; gram < count; gram++) {
      let index = 0;
      for (let position = gram; position < gram + n; position++)
        index = (Math.imul(index, alphabet) + symbols[position]!) | 0;
      nodes[gram] = cells[(table + index) & CELL_MASK]!;
    }
  }

  /**
   * Looks up n-grams with n = 3, four in each iteration, and returns how many n-grams it has looked
   * up. Fewer iterations are faster, because V8 reloads the length and address of every array in
   * each iteration.
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
