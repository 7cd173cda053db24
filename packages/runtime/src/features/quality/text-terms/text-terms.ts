import { DictionaryReader, NONE, readCodePoint, TextProgramReader, utf8Length } from '@brezel/text';
import { Utf8Text } from './utf8-text.js';
import { WordScanner } from './word-scanner.js';

// Counts the terms of texts for the quality checks, which need only these two numbers of a text.
// The kernels compute the n-grams themselves.

/** Scratch memory that all featurizers of this thread share. */
const utf8 = new Utf8Text();
const words = new WordScanner();
let symbols = new Int32Array(1024);
let nodes = new Int32Array(1024);

/**
 * Reserves memory for the symbols of a text of `length` bytes, and for three more symbols, because
 * the code writes four symbols at a time.
 */
function reserve(length: number): void {
  if (symbols.length >= length + 3) return;
  nodes = new Int32Array(length * 2 + 3);
  symbols = new Int32Array(length * 2 + 3); // last, because an earlier allocation may throw
}

/**
 * Counts the terms of a text, and how many of them the dictionary lacks. For a dictionary of words,
 * the terms are tokens; for a dictionary of characters, they are n-grams of the shortest size.
 */
export function textTerms(
  parameters: readonly Uint8Array[],
  dropsTokens: boolean,
  text: string,
): { readonly terms: number; readonly unknown: number } {
  return featurizerOf(parameters, dropsTokens).terms(text);
}

const featurizers = new WeakMap<Uint8Array, Featurizer[]>();

/**
 * Returns the featurizer for these parameters. The cache is keyed by the dictionary, because
 * several stages share a dictionary.
 */
function featurizerOf(parameters: readonly Uint8Array[], dropsTokens: boolean): Featurizer {
  const dictionary = parameters[1]!;
  let prepared = featurizers.get(dictionary);
  if (prepared === undefined) {
    prepared = [];
    featurizers.set(dictionary, prepared);
  }
  for (const featurizer of prepared) if (featurizer.isOf(parameters, dropsTokens)) return featurizer;
  const featurizer = new Featurizer(parameters, dropsTokens);
  prepared.push(featurizer);
  return featurizer;
}

/** Counts the terms of texts with one text program, one dictionary and optionally stop words. */
class Featurizer {
  readonly #parameters: readonly Uint8Array[];
  readonly #program: TextProgramReader;
  readonly #dictionary: DictionaryReader;
  readonly #stopWords: DictionaryReader | undefined;
  readonly #longestStopWord: number;
  /** True if stop words remove tokens; false if they apply to whole texts. */
  readonly #dropsTokens: boolean;
  /**
   * For each ASCII code point, the symbol of its folded form in the dictionary; 0 if the code point
   * is not part of a token.
   */
  readonly #asciiSymbols = new Int32Array(128);

  constructor(parameters: readonly Uint8Array[], dropsTokens: boolean) {
    const [program, dictionary, stopWords] = parameters;
    this.#parameters = parameters;
    this.#dropsTokens = dropsTokens;
    this.#program = new TextProgramReader(program!);
    this.#dictionary = new DictionaryReader(dictionary!);
    this.#stopWords = stopWords === undefined ? undefined : new DictionaryReader(stopWords);
    this.#longestStopWord = this.#stopWords?.longestWord() ?? -1;
    if (this.#dictionary.alphabet > 0 !== (this.#program.mode === 'characters')) {
      throw new Error('a text program of mode `runs` needs a word dictionary, `characters` a character dictionary');
    }
    if (this.#dictionary.alphabet === 0) return;
    for (let codePoint = 0; codePoint < 128; codePoint++) {
      const entry = this.#program.ascii[codePoint]!;
      this.#asciiSymbols[codePoint] = entry < 128 ? 0 : this.#dictionary.symbolOf(entry - 128);
    }
  }

  isOf(parameters: readonly Uint8Array[], dropsTokens: boolean): boolean {
    return (
      dropsTokens === this.#dropsTokens &&
      parameters[0] === this.#parameters[0] &&
      parameters[2] === this.#parameters[2]
    );
  }

  /** Counts the terms of a text, and the terms without a node in the dictionary. */
  terms(text: string): { readonly terms: number; readonly unknown: number } {
    utf8.read(text);
    const length = this.#isStopWord() ? 0 : this.#readSymbols();
    const dictionary = this.#dictionary;
    const size = dictionary.alphabet > 0 ? dictionary.minN : 1;
    const direct = Math.max(1, dictionary.directMax);
    const terms = Math.max(0, length - size + 1);
    if (terms === 0) return { terms: 0, unknown: 0 };
    this.#readNodes(Math.min(size, direct), length - Math.min(size, direct) + 1);
    for (let n = direct + 1; n <= size; n++) dictionary.extendGrams(nodes, symbols, n - 1, length - n + 1);
    let unknown = 0;
    for (let term = 0; term < terms; term++) unknown += nodes[term]! >>> 31;
    return { terms, unknown };
  }

  /**
   * Converts the folded text to symbols: the dictionary nodes of its words, or the numbers of its
   * characters. Returns the number of symbols.
   */
  #readSymbols(): number {
    reserve(utf8.length);
    if (this.#dictionary.alphabet > 0) return utf8.isAscii ? this.#readAscii() : this.#readCharacters();
    const count = this.#dropStopWords(words.scan(this.#program, utf8));
    this.#dictionary.findWords(words.folded, words.bounds, count, symbols);
    return count;
  }

  /** Removes tokens that are stop words. Returns the number of remaining tokens. */
  #dropStopWords(count: number): number {
    if (this.#stopWords === undefined || !this.#dropsTokens) return count;
    const { bounds } = words;
    this.#stopWords.findWords(words.folded, bounds, count, nodes);
    let remaining = 0;
    for (let word = 0; word < count; word++) {
      bounds[2 * remaining] = bounds[2 * word]!;
      bounds[2 * remaining + 1] = bounds[2 * word + 1]!;
      if (nodes[word] === NONE) remaining++;
    }
    return remaining;
  }

  /**
   * Converts an ASCII text to symbols, four bytes in each round of the loop. V8 reads the length
   * and address of every array again in each round.
   */
  #readAscii(): number {
    const asciiSymbols = this.#asciiSymbols;
    const to = symbols;
    const { view, length } = utf8;
    for (let i = 0; i < length; i += 4) {
      const four = view.getInt32(i, true);
      to[i] = asciiSymbols[four & 127]!;
      to[i + 1] = asciiSymbols[(four >>> 8) & 127]!;
      to[i + 2] = asciiSymbols[(four >>> 16) & 127]!;
      to[i + 3] = asciiSymbols[(four >>> 24) & 127]!;
    }
    return length;
  }

  #readCharacters(): number {
    const asciiSymbols = this.#asciiSymbols;
    const program = this.#program;
    const dictionary = this.#dictionary;
    const to = symbols;
    const { bytes, length } = utf8;
    let count = 0;
    for (let i = 0; i < length; count++) {
      const byte = bytes[i]!;
      if (byte < 128) {
        to[count] = asciiSymbols[byte]!;
        i++;
        continue;
      }
      const codePoint = readCodePoint(bytes, i);
      const entry = program.entry(codePoint);
      to[count] = (entry & 1) === 0 ? 0 : dictionary.symbolOf(codePoint + (entry >> 1));
      i += utf8Length(byte);
    }
    return count;
  }

  #readNodes(n: number, count: number): void {
    if (this.#dictionary.alphabet > 0) this.#dictionary.readDirect(n, symbols, count, nodes);
    else nodes.set(symbols.subarray(0, count));
  }

  #isStopWord(): boolean {
    // Folding a code point keeps at least a quarter of its bytes, so most texts are too long to be
    // a stop word.
    if (this.#stopWords === undefined || this.#dropsTokens || utf8.length > this.#longestStopWord * 4) return false;
    const length = words.scanWhole(this.#program, utf8);
    return this.#stopWords.findWord(words.folded, 0, length) !== NONE;
  }
}
