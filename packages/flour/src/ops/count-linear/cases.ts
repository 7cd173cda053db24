import { type Flow, type NgramOptions, operators } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyFloat,
  listOf,
  noisyText,
  type OperatorCase,
  type OperatorCases,
  shown,
  sparseCase,
  tameFloat,
} from '../../case.js';
import { float32, float64, int32 } from '../../define-op.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
type Vector = Parameters<Parameters<typeof sparseCase>[3]>[0];

const vocabulary = [['a'], ['b'], ['a', 'b']];
const words = (text: Flow<'text'>, more: Partial<NgramOptions> = {}) =>
  text.tokenize().wordNgram({ vocabulary, ...more });
const characters = (text: Flow<'text'>, padded = false) =>
  text.charNgram({ vocabulary: [[...'aa'], [...'ab'], [...' a '], [...'b a']], padded, minN: 2 });

const textCase = (
  name: string,
  texts: readonly string[],
  build: (text: Flow<'text'>) => Readonly<Record<string, Flow>>,
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build: (flour) => build(flour.columns({ text: 'string' }).select('text')),
  rows: texts.map((text) => ({ text })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

/** Applies the operator to a vector, with these integers as weights. */
const integers =
  (weights: readonly number[], scale: number, bias: readonly number[], occurrences: boolean) => (x: Vector) =>
    x.context.apply<'vector'>(operators.get('count-linear')!, [x], {
      attributes: occurrences ? { occurrences } : {},
      parameters: {
        weights0: int32(weights, [weights.length / bias.length, bias.length]),
        scale: float64([scale]),
        bias: float32(bias),
      },
    });

/** The weight of feature `f` for output `o` is f * outputs + o + 1. */
const counting = (features: number, outputs: number) => Array.from({ length: features * outputs }, (_, at) => at + 1);

const many = `${'a '.repeat(300)}b`;

export const cases: OperatorCases = {
  operators: ['count-linear'],
  named: [
    textCase(
      'repeated n-grams',
      ['a b a b', '', 'none', 'b b b'],
      (text) => ({ y: words(text).linear({ weights: [0.5, -1, 8], bias: 0.25 }) }),
      [[15.25], [0.25], [0.25], [-2.75]],
      { engine: 'native' },
    ),
    textCase(
      'binary n-grams count once',
      ['a b a b', 'a a'],
      (text) => ({ y: words(text, { binary: true }).linear({ weights: [0.5, -1, 8], bias: 0.25 }) }),
      [[7.75], [0.75]],
      { engine: 'native' },
    ),
    ...[2, 3, 9, 17].map((outputs) =>
      textCase(
        `${outputs} outputs, feature-major`,
        ['a b a', 'b'],
        (text) => ({ y: words(text).linear({ weights: counting(3, outputs), bias: Array(outputs).fill(0.5) }) }),
        [
          Array.from({ length: outputs }, (_, output) => 3 * outputs + 4 * (output + 1) + 0.5),
          Array.from({ length: outputs }, (_, output) => outputs + output + 1 + 0.5),
        ],
      ),
    ),
    textCase(
      'a concat of words and characters',
      ['ab aab', many],
      (text) => ({
        y: words(text)
          .concat(characters(text))
          .linear({ weights: [1, 2, 4, 8, 16, 32, 64] }),
      }),
      [[8 + 2 * 16 + 64], [300 + 2 + 4 + 299 * 32]],
      { engine: 'native' },
    ),
    textCase('padded characters with words shorter than an n-gram', ['a ab', 'a a a'], (text) => ({
      y: characters(text, true).linear({ weights: [1, 2, 4, 8] }),
    })),
    textCase('counts that are also an answer', ['a b a b', ''], (text) => {
      const counts = words(text);
      return { y: counts.linear({ weights: [0.5, -1, 8] }), counts };
    }),
    textCase('two models of the same counts', ['a b a b', ''], (text) => {
      const counts = words(text);
      return { y: counts.linear({ weights: [0.5, -1, 8] }), z: counts.logistic({ weights: [1, 2, 3] }) };
    }),
    textCase('counts beside a norm of the same counts', ['a b a b', ''], (text) => {
      const counts = words(text);
      return { y: counts.linear({ weights: [0.5, -1, 8] }), z: counts.normalize('l2').linear({ weights: [1, 2, 3] }) };
    }),
    textCase(
      'idf weights that a rule folds',
      ['a b a b', 'a'],
      (text) => ({
        y: words(text)
          .tfIdf({ idf: [2, 4, 0.5] })
          .linear({ weights: [0.5, -1, 8] }),
      }),
      [[2 - 8 + 8], [1]],
    ),
    textCase('mirrored classes', ['a b a b', ''], (text) => ({
      y: words(text).linear({ weights: [-0.1, 0.1, 2, -2, 0, 0], bias: [-0.5, 0.5] }),
    })),
    textCase(
      'weights that differ too much stay floats',
      ['a b', 'b'],
      (text) => ({ y: words(text).linear({ weights: [2 ** 60, 2 ** -60, 0] }) }),
      [[2 ** 60], [2 ** -60]],
    ),
    textCase(
      'weights that are not finite stay floats',
      ['a', 'b', ''],
      (text) => ({ y: words(text).linear({ weights: [inf, nan, 0] }) }),
      [[inf], [nan], [0]],
    ),
    textCase('weights of zero', ['a b', ''], (text) => ({ y: words(text).linear({ weights: [0, -0, 0], bias: -0 }) }), [
      [0],
      [0],
    ]),
    textCase('the smallest and largest weights', ['a', 'b'], (text) => {
      const tiny = Math.fround(1e-45);
      const huge = Math.fround(3.4028235e38);
      return {
        y: words(text).linear({ weights: [tiny, -3 * tiny, 0] }),
        z: words(text).linear({ weights: [huge, -huge, 0] }),
      };
    }),
    sparseCase(
      'numbers that are not counts',
      [nan, -3, 2.9, 1e9, inf, 0],
      [[0], [1], [2], [3], [4], [5], [2, 3]],
      integers([1, 1, 1, 1, 1, 1], 0.5, [0], false),
      [[0], [0], [1], [2 ** 23], [2 ** 23], [0], [2 ** 23 + 1]],
    ),
    sparseCase('each entry counts once', [nan, -3, 2.9], [[0], [1], [0, 1, 2]], integers([2, 4, 8], 0.5, [0.5], true), [
      [1.5],
      [2.5],
      [7.5],
    ]),
    sparseCase(
      'sums beyond 2^53',
      Array(20).fill(2 ** 24),
      [Array.from({ length: 20 }, (_, column) => column)],
      integers(Array(20).fill(2 ** 30 - 1), 2 ** -30, [0], false),
      [[Math.fround((20 * 2 ** 24 * (2 ** 30 - 1)) / 2 ** 30)]],
    ),
  ],
  random: fc
    .tuple(
      fc.constantFrom(1, 1, 2, 3, 8, 9),
      fc.constantFrom(tameFloat, anyFloat),
      fc.array(noisyText(['a', 'b', 'ab', 'ba', ' ']), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
    )
    .chain(([outputs, element, texts, binary, padded]) =>
      fc
        .tuple(listOf(element, 7 * outputs), listOf(element, outputs))
        .map(([weights, bias]) =>
          textCase(
            `random ${shown({ weights, bias, texts, binary, padded })}`,
            texts,
            (text) => ({ y: words(text, { binary }).concat(characters(text, padded)).linear({ weights, bias }) }),
            undefined,
            { absolute: element === tameFloat ? 0.01 : inf },
          ),
        ),
    ),
};
