import {
  type CharNgramOptions,
  type FlourContext,
  type NgramOptions,
  ngram,
  type TokenizeOptions,
  vocabulary as vocabularyOf,
} from '@brezel/flour';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const LONG = 'a-word-of-more-than-15-bytes'.replaceAll('-', '_');
const LONGER = 'x'.repeat(65);

const words = (
  name: string,
  options: NgramOptions,
  texts: readonly string[],
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
  by: TokenizeOptions = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').tokenize(by).wordNgram(options) }),
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

const characters = (
  name: string,
  options: NgramOptions,
  texts: readonly string[],
  expected?: readonly unknown[],
  inTokens = false,
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build(flour) {
    const text = flour.columns({ text: 'string' }).select('text');
    return { y: (inTokens ? text.tokenize() : text).charNgram(options) };
  },
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

/**
 * Builds a case that counts character n-grams inside words, with one space added on both sides of a
 * word. If `by` is given, the text is first tokenized with these options.
 */
const padded = (
  name: string,
  options: CharNgramOptions,
  texts: readonly string[],
  expected?: readonly unknown[],
  by?: TokenizeOptions,
): OperatorCase => ({
  name,
  build(flour) {
    const text = flour.columns({ text: 'string' }).select('text');
    return { y: (by === undefined ? text : text.tokenize(by)).charNgram({ ...options, padded: true }) };
  },
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  engine: 'native',
});

/** A linear model of a list of occurrences, as Oven makes it (`skip-counting`). */
const listed = (list: readonly (readonly string[])[], weights: readonly number[], texts: readonly string[]) => ({
  build(flour: FlourContext) {
    const tokens = flour.columns({ text: 'string' }).select('text').tokenize();
    const { minN, maxN, columns, gramCounts, parameters } = vocabularyOf(list);
    const options = { unit: 'token', maxSkip: 0, binary: false, occurrences: true };
    const attributes = { ...options, minN, maxN, columns, gramCounts };
    return { y: tokens.context.apply<'vector'>(ngram, [tokens], { attributes, parameters }).linear({ weights }) };
  },
  rows: texts.map((text) => ({ text })),
});

const grams = (...list: string[]) => list.map((gram) => gram.split(' '));
const chars = (...list: string[]) => list.map((gram) => [...gram]);
const native = { engine: 'native' } as const;

const pool = [
  'a',
  'b',
  'good',
  'not',
  'very',
  LONG,
  LONGER,
  'été',
  '日本',
  '😀',
  '_',
  '0',
  'fifteen_bytes__',
  'sixteen_bytes___',
];
const distinct = (list: string[][]) => [...new Map(list.map((gram) => [JSON.stringify(gram), gram])).values()];
const wordGrams = fc
  .array(fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 30 })
  .map(distinct);
const alphabet = [...'abc _é日😀İΣ\0'];
const charGrams = fc
  .array(fc.array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 40 })
  .map(distinct);

const limits = fc.record({
  low: fc.integer({ min: 1, max: 3 }),
  more: fc.nat(3),
  given: fc.boolean(),
  binary: fc.boolean(),
  maxSkip: fc.constantFrom(0, 0, 0, 1, 2),
});
const optionsFrom = (
  vocabulary: string[][],
  {
    low,
    more,
    given,
    binary,
    maxSkip,
  }: { low: number; more: number; given: boolean; binary: boolean; maxSkip: number },
): NgramOptions => ({
  vocabulary,
  binary,
  maxSkip,
  ...(given && { minN: low, maxN: low + more }),
});

export const cases: OperatorCases = {
  operators: ['ngram'],
  named: [
    {
      name: 'a list of occurrences',
      ...listed(grams('a', 'b', 'a b'), [1, 10, 100], ['a b a b a', '', 'c', 'b']),
      expected: [[223], [0], [0], [10]].map((y) => ({ y })),
      engine: 'native',
    },
    words(
      'counts',
      { vocabulary: grams('a', 'b') },
      ['a b a', '', 'c', 'b'],
      [
        [2, 1],
        [0, 0],
        [0, 0],
        [0, 1],
      ],
      native,
    ),
    words(
      'bigrams before and after unigrams',
      { vocabulary: grams('not good', 'good', 'not') },
      ['not good not good', 'good not'],
      [
        [2, 2, 2],
        [0, 1, 1],
      ],
      native,
    ),
    words(
      'binary',
      { vocabulary: grams('a', 'a a'), binary: true },
      ['a a a', 'a'],
      [
        [1, 1],
        [1, 0],
      ],
      native,
    ),
    words(
      'only bigrams of a mixed vocabulary',
      { vocabulary: grams('a', 'a b'), minN: 2 },
      ['a b a b', 'a'],
      [
        [0, 2],
        [0, 0],
      ],
      native,
    ),
    words('longer than there are', { vocabulary: grams('a'), minN: 1, maxN: 5 }, ['a a'], [[2]], native),
    words('none of the sizes', { vocabulary: grams('a'), minN: 2, maxN: 3 }, ['a a'], [[0]]),
    words(
      'a trigram whose prefixes are no n-grams',
      { vocabulary: grams('a b c') },
      ['a b c', 'a b', 'b c', 'a b a b c'],
      [[1], [0], [0], [1]],
      native,
    ),
    words('skipping', { vocabulary: grams('a b'), maxSkip: 1 }, ['a b', 'a x b', 'a x x b'], [[1], [1], [0]], {
      engine: 'javascript',
    }),
    words(
      'long words',
      { vocabulary: grams(LONG, LONGER, `${LONGER} ${LONG}`) },
      [`${LONGER} ${LONG}`, `${LONGER}y ${LONG}y`, LONGER.slice(1)],
      [
        [1, 1, 1],
        [0, 0, 0],
        [0, 0, 0],
      ],
      native,
    ),
    words(
      'at the limit of short words',
      { vocabulary: grams('fifteen_bytes__', 'sixteen_bytes___') },
      ['fifteen_bytes__ sixteen_bytes___', 'fifteen_bytes_ sixteen_bytes__'],
      [
        [1, 1],
        [0, 0],
      ],
      native,
    ),
    words('repeated 1000 times', { vocabulary: grams('a', 'a a') }, ['a '.repeat(1000)], [[1000, 999]]),
    characters(
      'characters with spaces',
      { vocabulary: chars('ab', 'b ', ' a', 'é') },
      ['ab ab', 'é', ''],
      [
        [2, 1, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
      ],
      false,
      native,
    ),
    characters(
      'surrogate pairs are one character',
      { vocabulary: chars('😀', '😀😀') },
      ['😀😀😀', '\ud83d', '\ude00\ud83d'],
      [
        [3, 2],
        [0, 0],
        [0, 0],
      ],
      false,
      native,
    ),
    characters(
      'lone surrogates read as U+FFFD',
      { vocabulary: chars('\ufffd') },
      ['\ud800', 'a\udc00b', '\ufffd', 'abc'],
      [[1], [1], [1], [0]],
      false,
      native,
    ),
    characters(
      'zero characters',
      { vocabulary: chars('\0', 'a\0') },
      ['\0', 'a\0b\0', ''],
      [
        [1, 0],
        [2, 1],
        [0, 0],
      ],
      false,
      native,
    ),
    characters(
      'five characters',
      { vocabulary: chars('abcde', 'bcdef') },
      ['abcdef', 'abcd', 'bcdefabcde'],
      [
        [1, 1],
        [0, 0],
        [1, 1],
      ],
      false,
      native,
    ),
    characters(
      'inside tokens',
      { vocabulary: chars('ab', 'ba') },
      ['ab ba', 'a b', 'aba'],
      [
        [1, 1],
        [0, 0],
        [1, 1],
      ],
      true,
      native,
    ),
    words('characters as tokens', { vocabulary: chars('ab') }, ['ab', 'a b'], [[1], [0]], native, { by: 'characters' }),
    padded(
      'padded words',
      { vocabulary: chars(' a', 'ab', 'b ', ' ab ', 'a b', '  ') },
      ['ab', 'a b', 'ab\t\u3000ab', '', ' '],
      [
        [1, 1, 1, 1, 0, 0],
        [1, 0, 1, 0, 0, 0],
        [2, 2, 2, 2, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
      ],
    ),
    padded(
      'short padded words count once, longer ones by n-grams of at least minN',
      { vocabulary: chars(' a ', ' ab ', ' abc ', ' abc', 'abc ', ' abcd'), minN: 5, maxN: 6 },
      ['a ab abc', 'abcd abc a a'],
      [
        [1, 1, 1, 0, 0, 0],
        [2, 0, 1, 0, 0, 1],
      ],
    ),
    padded(
      'binary, of tokens, more symbols than a direct table has',
      {
        vocabulary: chars(
          ...Array.from({ length: 400 }, (_, at) => `${String.fromCodePoint(0x4e00 + at)} `),
          ' 丁 ',
          'ab',
        ),
        minN: 4,
        maxN: 4,
        binary: true,
      },
      ['丁,丁', 'ab 丁', 'x'],
      undefined,
      { by: 'words' },
    ),
    padded('no space in the vocabulary', { vocabulary: chars('ab'), minN: 2, maxN: 3 }, ['ab', 'a b'], [[1], [0]]),
    words('two columns for one stem', { vocabulary: grams('good', 'goods') }, ['good goods goodss'], [[1, 1]]),
  ],
  random: fc.oneof(
    fc
      .tuple(
        charGrams.map((list) => distinct(list.flatMap((gram) => [gram, [' ', ...gram], [' ', ...gram, ' ']]))),
        limits,
        fc.array(noisyText(alphabet), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(undefined, { by: 'words' as const }, { by: { pattern: '[^a]+' } }),
      )
      .map(([vocabulary, limit, texts, by]) =>
        padded(
          `padded ${shown({ vocabulary, limit, by, texts })}`,
          optionsFrom(vocabulary, { ...limit, maxSkip: 0 }),
          texts,
          undefined,
          by,
        ),
      ),
    fc
      .tuple(wordGrams, limits, fc.array(noisyText(pool), { minLength: 1, maxLength: 4 }))
      .map(([vocabulary, limit, texts]) =>
        words(`words ${shown({ vocabulary, limit })}`, optionsFrom(vocabulary, limit), texts),
      ),
    fc
      .tuple(
        wordGrams,
        limits,
        fc.array(
          fc.array(fc.constantFrom(...pool), { maxLength: 12 }).map((list) => list.join(' ')),
          { minLength: 1, maxLength: 4 },
        ),
      )
      .map(([vocabulary, limit, texts]) =>
        words(
          `separated ${shown({ vocabulary, limit })}`,
          optionsFrom(vocabulary, limit),
          texts,
          undefined,
          {},
          { by: { separators: [' '] } },
        ),
      ),
    fc
      .tuple(charGrams, limits, fc.array(noisyText(alphabet), { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([vocabulary, limit, texts, inTokens]) =>
        characters(
          `characters ${shown({ vocabulary, limit, inTokens })}`,
          optionsFrom(vocabulary, limit),
          texts,
          undefined,
          inTokens,
        ),
      ),
  ),
};
