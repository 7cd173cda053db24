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
import { seed } from '../../../../../../testing/seed.js';
import { textTerms } from './text-terms.js';

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

/** Returns whether a dictionary has an n-gram of its sizes. Without one, it has single symbols. */
const hasGrams = ({ gramCounts, minN }: DictionarySource): boolean =>
  gramCounts.slice(minN - 1).some((count) => count > 0);

/** Returns the words that occur in n-grams of the sizes of a dictionary. */
function knownWords({ tokens, grams, gramCounts, minN }: DictionarySource): Set<string> {
  const first = gramCounts.slice(0, minN - 1).reduce((sum, count, index) => sum + count * (index + 1), 0);
  return new Set(Array.from(grams.subarray(first), (token) => tokens[token]!));
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

test('counts the terms of thousands of texts as the definition does', () => {
  let texts = 0;
  let found = 0;
  fc.assert(
    fc.property(setup, (given) => {
      const { unit, fold, minLength, sizes } = given;
      const mode = unit === 'word' ? 'runs' : 'characters';
      const program: TextProgram = { fold, charClass: given.charClass, minLength, mode };
      const corpus = given.corpus.map((document) => symbolsOf(document, program));
      const source = dictionaryOf(corpus, unit, Math.max(...sizes), Math.min(...sizes), given.keep);
      const known = knownWords(source);
      const stopWords = given.stopWords?.map((word) => foldText(word, fold));
      const parameters = [programBlob(program), buildDictionary(source)];
      if (stopWords !== undefined) parameters.push(buildStopWords(stopWords));
      for (const row of [...given.texts, ...given.corpus, ...(given.stopWords ?? [])]) {
        const isStopWord = stopWords?.includes(foldText(row, fold)) ?? false;
        const symbols = isStopWord ? [] : symbolsOf(row, program);
        const size = unit === 'word' || !hasGrams(source) ? 1 : source.minN;
        const { terms, unknown } = textTerms(parameters, false, row);
        expect(terms).toBe(Math.max(0, symbols.length - size + 1));
        const missing = symbols.filter((one) => !known.has(one as string)).length;
        if (unit === 'word') expect(unknown).toBe(missing);
        expect(unknown).toBeLessThanOrEqual(terms);
        texts++;
        found += terms - unknown;
      }
    }),
    { seed, numRuns: 250 },
  );
  console.info(`${texts} texts, ${found} known terms`);
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

test('grows its scratch memory for long texts', () => {
  const parameters = [buildTextProgram(program), buildDictionary(source)];
  const long = `${'A b '.repeat(30_000)}${'W'.repeat(40)} ${'x'.repeat(100_000)}`;
  expect(textTerms(parameters, false, 'a c')).toEqual({ terms: 2, unknown: 1 });
  expect(textTerms(parameters, false, long)).toEqual({ terms: 60_002, unknown: 1 });
  expect(textTerms(parameters, false, '')).toEqual({ terms: 0, unknown: 0 });
});

test('does not count tokens that stop words remove', () => {
  const parameters = [buildTextProgram(program), buildDictionary(source), buildStopWords(['b', 'c'])];
  expect(textTerms(parameters, true, 'a b c d a')).toEqual({ terms: 3, unknown: 1 });
});

test('rejects a program that does not match its dictionary', () => {
  const parameters = [buildTextProgram({ ...program, mode: 'characters' }), buildDictionary(source)];
  expect(() => textTerms(parameters, false, '')).toThrow('needs a word dictionary');
});
