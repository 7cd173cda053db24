import type { FeatureHasherOptions } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, type OperatorCase, type OperatorCases, shown } from '../../case.js';

const hashed = (
  name: string,
  options: FeatureHasherOptions,
  rows: readonly unknown[],
  expected?: readonly unknown[],
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.dictionary('x', { values: 'mixed' }).featureHasher(options) }),
  rows: rows.map((x) => ({ x })) as never,
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  engine: 'native',
});

const texts = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.string({ minLength: 33, maxLength: 70 }),
);
const value = fc.oneof(anyFloat, texts, fc.array(texts, { maxLength: 50 }));

export const cases: OperatorCases = {
  operators: ['feature-hasher'],
  named: [
    // The example in scikit-learn's documentation.
    hashed(
      'as scikit-learn documents it',
      { nFeatures: 10 },
      [
        { dog: 1, cat: 2, elephant: 4 },
        { dog: 2, run: 5 },
      ],
      [
        [0, 0, -4, -1, 0, 0, 0, 0, 0, 2],
        [0, 0, 0, -2, -5, 0, 0, 0, 0, 0],
      ],
    ),
    hashed('texts are part of the name', { nFeatures: 4, alternateSign: false }, [
      { a: 'x', b: ['y', 'z'] },
      { 'a=x': 1, 'b=y': 1, 'b=z': 1 },
    ]),
    hashed(
      'zeros are left out',
      { nFeatures: 3 },
      [{ a: 0, b: -0 }, {}],
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    ),
  ],
  random: fc
    .tuple(
      fc.integer({ min: 1, max: 64 }),
      fc.boolean(),
      fc.array(fc.dictionary(fc.string({ maxLength: 4 }), value), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([nFeatures, alternateSign, rows]) => hashed(`hash ${shown(rows)}`, { nFeatures, alternateSign }, rows)),
};
