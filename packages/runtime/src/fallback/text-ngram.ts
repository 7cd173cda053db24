import { type FastKernel, type StringBlock, sizeOf } from '@brezel/core';
import { DictionaryReader, NONE, readCodePoint, TextProgramReader, utf8Length } from '@brezel/object-store';
import { ColumnCounter } from './column-counter.js';
import { Utf8Text } from './utf8-text.js';
import { WordScanner } from './word-scanner.js';

/** Scratch of this thread. */
const utf8 = new Utf8Text();
const words = new WordScanner();
const counter = new ColumnCounter();
let symbols = new Int32Array(1024);
let nodes = new Int32Array(1024);
/** Columns that occur in a row, n-grams of the smallest size first. */
let columns = new Int32Array(1024);

function reserve(length: number, sizes: number): void {
  if (symbols.length < length) {
    symbols = new Int32Array(length * 2);
    nodes = new Int32Array(length * 2);
  }
  if (columns.length < length * sizes) columns = new Int32Array(length * sizes * 2);
}

/** Text → sparse counts of n-grams (native/README.md: `text_ngram`). Parameters: text program, dictionary, [stop words]. Attribute: binary. */
export const textNgram: FastKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const featurizer = featurizerOf(parameters);
  const { values } = inputs[0] as StringBlock;
  const offsets = new Uint32Array(rows + 1);
  counter.start();
  for (let row = 0; row < rows; row++) {
    const occurrences = featurizer.readColumns(values[row]!); // first: it may replace `columns`
    offsets[row + 1] = counter.addRow(columns, occurrences);
  }
  return counter.finish(offsets, sizeOf(type), attributes[0] === 1);
};

const featurizers = new WeakMap<Uint8Array, Featurizer[]>();

/** The featurizer of these parameters, prepared once: by dictionary, since stages share those. */
function featurizerOf(parameters: readonly Uint8Array[]): Featurizer {
  const dictionary = parameters[1]!;
  let prepared = featurizers.get(dictionary);
  if (prepared === undefined) {
    prepared = [];
    featurizers.set(dictionary, prepared);
  }
  for (const featurizer of prepared) if (featurizer.isOf(parameters)) return featurizer;
  const featurizer = new Featurizer(parameters);
  prepared.push(featurizer);
  return featurizer;
}

/** A text program with its dictionary and stop words. */
class Featurizer {
  readonly #parameters: readonly Uint8Array[];
  readonly #program: TextProgramReader;
  readonly #dictionary: DictionaryReader;
  readonly #stopWords: DictionaryReader | undefined;
  readonly #longestStopWord: number;
  /** Symbol of each ASCII code point, folded; 0 outside the class. */
  readonly #asciiSymbols = new Int32Array(128);

  constructor(parameters: readonly Uint8Array[]) {
    const [program, dictionary, stopWords] = parameters;
    this.#parameters = parameters;
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

  isOf(parameters: readonly Uint8Array[]): boolean {
    return parameters[0] === this.#parameters[0] && parameters[2] === this.#parameters[2];
  }

  /** Writes the columns of all n-grams of a text to `columns` and returns how many there are. */
  readColumns(text: string): number {
    const dictionary = this.#dictionary;
    const { minN, maxN } = dictionary;
    const direct = Math.max(1, dictionary.directMax); // a word is its own node
    utf8.read(text);
    if (this.#isStopWord()) return 0;
    const length = this.#readSymbols(maxN - minN + 1);
    let occurrences = 0;
    for (let n = 1; n <= maxN && n <= length; n++) {
      const count = length - n + 1;
      if (n > direct) dictionary.extendGrams(nodes, symbols, n - 1, count);
      else if (n >= minN || n === direct) this.#readNodes(n, count);
      if (n >= minN) occurrences = this.#addColumns(count, occurrences);
    }
    return occurrences;
  }

  /** Symbols of the text, folded: nodes of its words, or numbers of its characters. Returns how many. */
  #readSymbols(sizes: number): number {
    reserve(utf8.length, sizes);
    if (this.#dictionary.alphabet > 0) return this.#readCharacters();
    const count = words.scan(this.#program, utf8);
    this.#dictionary.findWords(words.cells, words.starts, words.lengths, count, symbols);
    return count;
  }

  #readCharacters(): number {
    const asciiSymbols = this.#asciiSymbols;
    const { bytes, length } = utf8;
    let count = 0;
    for (let i = 0; i < length; count++) {
      const byte = bytes[i]!;
      if (byte < 128) {
        symbols[count] = asciiSymbols[byte]!;
        i++;
        continue;
      }
      const codePoint = readCodePoint(bytes, i);
      const entry = this.#program.entry(codePoint);
      symbols[count] = (entry & 1) === 0 ? 0 : this.#dictionary.symbolOf(codePoint + (entry >> 1));
      i += utf8Length(byte);
    }
    return count;
  }

  #readNodes(n: number, count: number): void {
    if (this.#dictionary.alphabet > 0) this.#dictionary.readDirect(n, symbols, count, nodes);
    else for (let word = 0; word < count; word++) nodes[word] = symbols[word]!;
  }

  #addColumns(count: number, occurrences: number): number {
    let end = occurrences;
    for (let gram = 0; gram < count; gram++) {
      const column = this.#dictionary.columnOf(nodes[gram]!);
      columns[end] = column;
      end += (column >>> 31) ^ 1; // overwritten by the next one when NONE: whether it is cannot be predicted
    }
    return end;
  }

  #isStopWord(): boolean {
    // A code point keeps at least a quarter of its bytes when it is folded: most texts are too long to look up.
    if (this.#stopWords === undefined || utf8.length > this.#longestStopWord * 4) return false;
    const length = words.scanWhole(this.#program, utf8);
    return this.#stopWords.findWord(words.cells, 0, length) !== NONE;
  }
}
