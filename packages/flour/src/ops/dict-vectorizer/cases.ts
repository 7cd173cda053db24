import fc from 'fast-check';
import { anyFloat, noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const vectorized = (
  name: string,
  featureNames: readonly string[],
  rows: readonly unknown[],
  expected?: readonly unknown[],
  separator?: string,
): OperatorCase => ({
  name,
  build: (flour) => ({
    y: flour
      .dictionary('x', { values: 'mixed' })
      .dictVectorizer({ featureNames, ...(separator !== undefined && { separator }) }),
  }),
  rows: rows.map((x) => ({ x })) as never,
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  engine: 'native',
});

const wellFormed = noisyText().map((text) => text.toWellFormed());
const keys = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'city', 'a=x', '', '__proto__') },
  { weight: 1, arbitrary: wellFormed },
);
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('x', 'y', '', 'Berlin', '=', 'long '.repeat(9)) },
  { weight: 1, arbitrary: wellFormed },
);
// Lists of many texts, so that rows have more features than the insertion sort handles.
const lists = fc.array(texts, { maxLength: 60 });
const value = fc.oneof(anyFloat, texts, lists, fc.boolean(), fc.constant(null));

export const cases: OperatorCases = {
  operators: ['dict-vectorizer'],
  named: [
    vectorized(
      'numbers, texts and lists',
      ['age', 'city=Berlin', 'city=Paris', 'tag=a', 'tag=b'],
      [{ age: 30, city: 'Paris' }, { tag: ['b', 'a', 'c'], age: -1.5 }, { city: 'Rome', unknown: 4 }, {}],
      [
        [30, 0, 1, 0, 0],
        [-1.5, 0, 0, 1, 1],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
      ],
    ),
    vectorized(
      'bools are numbers, null is missing',
      ['a', 'b'],
      [{ a: true, b: null }, { b: false }],
      [
        [1, Number.NaN],
        [0, 0],
      ],
    ),
    vectorized('what has one name is added up', ['a=x'], [{ a: ['x', 'x'] }, { 'a=x': 4, a: 'x' }], [[2], [5]]),
    vectorized('another separator', ['a:x'], [{ a: 'x' }, { a: 'y' }], [[1], [0]], ':'),
    {
      name: 'the order of keys does not matter to a model',
      build: (flour) => ({
        y: flour
          .dictionary('x', { values: 'mixed' })
          .dictVectorizer({ featureNames: ['a', 'b', 'c'] })
          .linear({ weights: [0.1, 1e8, -1e8] }),
      }),
      rows: [{ x: { a: 1, b: 1, c: 1 } }, { x: { c: 1, b: 1, a: 1 } }] as never,
      expected: [{ y: [0] }, { y: [0] }],
      absolute: 1,
    },
  ],
  random: fc
    .tuple(
      fc.uniqueArray(
        fc.oneof(
          keys,
          fc.tuple(keys, texts).map(([key, text]) => `${key}=${text}`),
        ),
        { minLength: 1, maxLength: 8 },
      ),
      fc.array(fc.dictionary(keys, value), { minLength: 1, maxLength: 5 }),
    )
    .map(([names, rows]) => vectorized(`vectorize ${shown(rows)} by ${shown(names)}`, names, rows)),
};
