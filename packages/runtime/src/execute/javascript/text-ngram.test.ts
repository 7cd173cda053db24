import { type SparseBlock, sparse, strings } from '@brezel/core';
import {
  buildDictionary,
  buildStopWords,
  buildTextProgram,
  type CharClass,
  charClass,
  complement,
  type DictionarySource,
  foldText,
  hasCodePoint,
  perlClasses,
  type TextProgram,
} from '@brezel/text';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../test/execute/javascript/seed.js';
import { fastKernels } from './index.js';

const unknown = Symbol('unknown');
type Symbols = (string | typeof unknown)[];

/** Returns the tokens or symbols of a folded text, as README section 3 defines them. */
function symbolsOf(text: string, { fold, mode, charClass: set, minLength }: TextProgram): Symbols {
  const characters = [...foldText(text, fold)];
  const isIn = (character: string) => hasCodePoint(set, character.codePointAt(0)!);
  if (mode === 'characters') return characters.map((character) => (isIn(character) ? character : unknown));
  const runs: string[][] = [[]];
  for (const character of characters) {
    if (isIn(character)) runs.at(-1)!.push(character);
    else runs.push([]);
  }
  return runs.filter((run) => run.length >= Math.max(1, minLength)).map((run) => run.join(''));
}

/** Returns the distinct columns in order of first occurrence, with their counts. */
function countsOf(symbols: Symbols, source: DictionarySource): [id: number, count: number][] {
  const columns = new Map<string, number>();
  let at = 0;
  let gram = 0;
  source.gramCounts.forEach((count, index) => {
    for (let member = 0; member < count; member++, gram++, at += index + 1) {
      const key = [...source.grams.subarray(at, at + index + 1)].map((token) => source.tokens[token]!);
      columns.set(JSON.stringify(key), source.columns[gram]!);
    }
  });
  const counts = new Map<number, number>();
  for (let n = source.minN; n <= source.maxN; n++) {
    for (let i = 0; i + n <= symbols.length; i++) {
      const key = symbols.slice(i, i + n);
      const column = key.includes(unknown) ? undefined : columns.get(JSON.stringify(key));
      if (column !== undefined) counts.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
  return [...counts];
}

function rowsOf({ offsets, ids, values, rows }: SparseBlock): [id: number, count: number][][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: offsets[row + 1]! - offsets[row]! }, (_, at) => [
      ids[offsets[row]! + at]!,
      values[offsets[row]! + at]!,
    ]),
  );
}

const letters = classOf('abcdeABCDEéÉßẞüÜσΣςİıſ中文😀😎_09');
const classes: readonly CharClass[] = [
  perlClasses.w!,
  complement(perlClasses.s!),
  charClass([0, 0x10ffff]),
  letters,
  charClass([0x61, 0x7a]),
];

function classOf(characters: string): CharClass {
  return charClass([...characters].flatMap((character) => [character.codePointAt(0)!, character.codePointAt(0)!]));
}

const character = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...'aabbcdeABCDEéÉßẞüσΣςİıſ中文😀😎_09') },
  { weight: 3, arbitrary: fc.constantFrom(...'    \n\t,.-\0') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const text = fc.oneof(
  fc.string({ unit: character, maxLength: 80, size: 'max' }),
  fc.string({ unit: fc.constantFrom(...'abAB é'), maxLength: 120, size: 'max' }),
  fc.string({ unit: fc.constantFrom(...'abc😀'), minLength: 14, maxLength: 50, size: 'max' }),
  fc.constantFrom('', ' ', 'the end'),
);

const setup = fc.record({
  unit: fc.constantFrom<DictionarySource['unit']>('word', 'character'),
  fold: fc.constantFrom<TextProgram['fold']>('none', 'lower', 'upper'),
  charClass: fc.constantFrom(...classes),
  minLength: fc.integer({ min: 1, max: 3 }),
  sizes: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
  stopWords: fc.option(fc.array(text, { maxLength: 4 }), { nil: undefined }),
  binary: fc.boolean(),
  corpus: fc.array(text, { minLength: 1, maxLength: 8 }),
  texts: fc.array(text, { minLength: 2, maxLength: 8 }),
  keep: fc.integer({ min: 1, max: 4 }),
});

/**
 * Returns a dictionary of grams that occur in a corpus. Every `keep`-th gram is omitted, so that
 * prefixes are missing.
 */
function dictionaryOf(
  corpus: Symbols[],
  unit: DictionarySource['unit'],
  maxN: number,
  minN: number,
  keep: number,
): DictionarySource {
  const tokens = new Map<string, number>();
  const grams: number[][] = [];
  for (let n = 1; n <= maxN; n++) {
    const seen = new Set<string>();
    for (const symbols of corpus) {
      for (let i = 0; i + n <= symbols.length; i++) {
        const gram = symbols.slice(i, i + n).filter((symbol) => symbol !== unknown);
        if (gram.length < n || seen.has(JSON.stringify(gram))) continue;
        seen.add(JSON.stringify(gram));
        for (const token of gram) if (!tokens.has(token)) tokens.set(token, tokens.size);
        if (keep === 1 || seen.size % keep !== 0) grams.push(gram.map((token) => tokens.get(token)!));
      }
    }
  }
  const columnCount = Math.max(1, Math.ceil(grams.length * 0.8)); // some grams share a column
  return {
    unit,
    tokens: [...tokens.keys()],
    grams: Uint32Array.from(grams.flat()),
    gramCounts: Array.from({ length: maxN }, (_, index) => grams.filter(({ length }) => length === index + 1).length),
    columns: Uint32Array.from(grams, (_, gram) => (gram * 7) % columnCount),
    columnCount,
    minN,
    maxN,
  };
}

const blobs = new Map<string, Uint8Array>();

/**
 * Builds a text program, or returns it from a cache. Building one costs more than the remaining
 * test run.
 */
function programBlob(program: TextProgram): Uint8Array {
  const key = JSON.stringify(program);
  const blob = blobs.get(key) ?? buildTextProgram(program);
  blobs.set(key, blob);
  return blob;
}

test('counts the n-grams of thousands of texts as the definition does', () => {
  let texts = 0;
  let found = 0;
  fc.assert(
    fc.property(setup, (given) => {
      const { unit, fold, minLength, sizes, binary } = given;
      const program: TextProgram = {
        fold,
        charClass: given.charClass,
        minLength,
        mode: unit === 'word' ? 'runs' : 'characters',
      };
      const corpus = given.corpus.map((document) => symbolsOf(document, program));
      const source = dictionaryOf(corpus, unit, Math.max(...sizes), Math.min(...sizes), given.keep);
      const stopWords = given.stopWords?.map((word) => foldText(word, fold));
      const rows = [...given.texts, ...given.corpus, ...(given.stopWords ?? [])];
      const parameters = [programBlob(program), buildDictionary(source)];
      if (stopWords !== undefined) parameters.push(buildStopWords(stopWords));
      const call = { rows: rows.length, inputs: [strings(rows.length, 1, rows)], type: sparse(source.columnCount) };
      const result = fastKernels.text_ngram!({ ...call, attributes: [binary ? 1 : 0], parameters }) as SparseBlock;
      const expected = rows.map((row) => {
        const isStopWord = stopWords?.includes(foldText(row, fold)) ?? false;
        const counts = countsOf(isStopWord ? [] : symbolsOf(row, program), source);
        return binary ? counts.map(([id]) => [id, 1]) : counts;
      });
      expect(rowsOf(result)).toEqual(expected);
      expect(result).toMatchObject({ kind: 'sparse', rows: rows.length, size: source.columnCount });
      texts += rows.length;
      found += result.ids.length;
    }),
    { seed, numRuns: 250 },
  );
  console.info(`${texts} texts, ${found} distinct n-grams`);
  expect(texts).toBeGreaterThan(2000);
});

const program: TextProgram = { fold: 'lower', mode: 'runs', charClass: perlClasses.w!, minLength: 1 };
const source: DictionarySource = {
  unit: 'word',
  tokens: ['a', 'b', 'w'.repeat(40)],
  grams: Uint32Array.of(0, 2, 0, 1),
  gramCounts: [2, 1],
  columns: Uint32Array.of(0, 2, 1),
  columnCount: 3,
  minN: 1,
  maxN: 2,
};

function count(rows: string[], counting = 0): SparseBlock {
  const parameters = [buildTextProgram(program), buildDictionary(source)];
  const inputs = [strings(rows.length, 1, rows)];
  return fastKernels.text_ngram!({
    rows: rows.length,
    inputs,
    type: sparse(3),
    attributes: [counting],
    parameters,
  }) as SparseBlock;
}

test('lists each occurrence, shorter n-grams first', () => {
  const { offsets, ids, values } = count(['a b a b', 'b', 'a'], 2);
  expect([...offsets]).toEqual([0, 4, 4, 5]);
  expect([...ids]).toEqual([0, 0, 1, 1, 0]);
  expect([...values]).toEqual([1, 1, 1, 1, 1]);
});

test('grows its scratch for long texts, and does not change earlier results', () => {
  const first = count(['a b']);
  const long = count([`${'A b '.repeat(30_000)}${'W'.repeat(40)} ${'x'.repeat(100_000)}`]);
  expect(rowsOf(long)).toEqual([
    [
      [0, 30_000],
      [2, 1],
      [1, 30_000],
    ],
  ]);
  expect(rowsOf(first)).toEqual([
    [
      [0, 1],
      [1, 1],
    ],
  ]);
  expect(count([]).offsets).toEqual(Uint32Array.of(0));
});

test('counts in dictionaries with more columns than counters', () => {
  const columnCount = 100_000;
  const wordClass = charClass([0x30, 0x39, 0x61, 0x7a]);
  const words = Array.from({ length: 500 }, (_, at) => `w${at}`);
  const many: DictionarySource = {
    unit: 'word',
    tokens: words,
    grams: Uint32Array.from(words, (_, at) => at),
    gramCounts: [words.length],
    columns: Uint32Array.from(words, (_, at) => columnCount - 1 - at * 150),
    columnCount,
    minN: 1,
    maxN: 1,
  };
  const rows = [
    words.join(' '),
    '',
    `w1 w2 w1 none ${'w499 '.repeat(3000)}w2`,
    [...words, ...words].reverse().join('é'),
  ];
  const result = fastKernels.text_ngram!({
    rows: rows.length,
    inputs: [strings(rows.length, 1, rows)],
    type: sparse(columnCount),
    attributes: [0],
    parameters: [programBlob({ ...program, charClass: wordClass }), buildDictionary(many)],
  }) as SparseBlock;
  const expected = rows.map((row) => countsOf(row.match(/[a-z0-9]+/g) ?? [], many));
  expect(rowsOf(result)).toEqual(expected);
});

test('rejects a program that does not match its dictionary', () => {
  const parameters = [buildTextProgram({ ...program, mode: 'characters' }), buildDictionary(source)];
  const call = { rows: 0, inputs: [strings(0, 1, [])], type: sparse(3), attributes: [0], parameters };
  expect(() => fastKernels.text_ngram!(call)).toThrow('needs a word dictionary');
});
