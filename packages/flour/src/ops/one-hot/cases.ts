import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, type OperatorCase, type OperatorCases, rowsOf, shown, tameFloat, typedCase } from '../../case.js';

const colours = ['red', 'green', 'blue'];

const text = (
  name: string,
  rows: readonly string[],
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ t: 'string' }).select('t').oneHot({ categories: colours }) }),
  rows: rows.map((t) => ({ t })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

export const cases: OperatorCases = {
  operators: ['one-hot'],
  named: [
    text(
      'texts',
      ['green', 'blue', 'pink', ''],
      [
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 0],
      ],
      { engine: 'native' },
    ),
    typedCase(
      'several values a row',
      'int64',
      [
        [5, 7],
        [7, 6],
      ],
      (x) => x.oneHot({ categories: [7, 5] }),
      [
        [0, 1, 1, 0],
        [1, 0, 0, 0],
      ],
      { engine: 'native' },
    ),
    {
      name: 'known values where others are refused',
      build: (flour) => ({
        y: flour.columns({ t: 'string' }).select('t').oneHot({ categories: colours, unknown: 'error' }),
      }),
      rows: [{ t: 'red' }, { t: 'blue' }],
      expected: [{ y: [1, 0, 0] }, { y: [0, 0, 1] }],
      engine: 'native',
    },
    {
      name: 'before a linear model, beside numbers',
      build(flour) {
        const { select } = flour.columns({ t: 'string', n: 'float32' });
        const features = select('t')
          .oneHot({ categories: colours })
          .concat(select('n').asVector() as Flow<'vector'>);
        return { y: features.linear({ weights: [1, 10, 100, 1000], bias: 0.5 }) };
      },
      rows: [
        { t: 'green', n: 2 },
        { t: 'black', n: -1 },
      ],
      expected: [{ y: [2010.5] }, { y: [-999.5] }],
      engine: 'native',
    },
  ],
  random: fc.oneof(
    fc
      .tuple(fc.uniqueArray(anyElement.int64, { minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 3 }))
      .chain(([categories, size]) =>
        fc
          .tuple(
            rowsOf(fc.oneof(fc.constantFrom(...categories), anyElement.int64), size),
            fc.array(tameFloat, { minLength: 40, maxLength: 40 }),
          )
          .map(([rows, weights]) =>
            typedCase(
              `one-hot ${shown({ categories, rows, weights })}`,
              'int64',
              rows,
              (x) => x.oneHot({ categories }).linear({ weights: weights.slice(0, size * categories.length) }),
              undefined,
              { engine: 'native' },
            ),
          ),
      ),
    fc
      .array(fc.constantFrom(...colours, 'Red', '', 'yellow'), { minLength: 1, maxLength: 6 })
      .map((rows) => text(`one-hot of ${shown(rows)}`, rows)),
  ),
};
