import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCase, type OperatorCases, rowsOf, shown } from '../../case.js';

type Labels = readonly string[] | readonly number[] | BigInt64Array;

const byIndex = (
  name: string,
  labels: Labels,
  indices: readonly number[],
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ i: 'int64' }).select('i').labels(labels) }),
  rows: indices.map((i) => ({ i })),
  ...(expected && { expected: expected.map((y) => ({ y })) }),
  ...more,
});

export const cases: OperatorCases = {
  operators: ['lookup'],
  named: [
    byIndex('strings', ['negative', '', 'größer 😀'], [0, 1, 2], ['negative', '', 'größer 😀'], { engine: 'native' }),
    byIndex('integers', [10, -20, 9007199254740991], [0, 1, 2], [10, -20, 9007199254740991], { engine: 'native' }),
    byIndex(
      'out of range is clamped',
      [7, 8],
      [-1, 2, -9007199254740991, 9007199254740991, 4294967296],
      [7, 8, 7, 8, 8],
    ),
    byIndex('strings out of range', ['a', 'b'], [-5, 5, 4294967295], ['a', 'b', 'b']),
    byIndex('one label', ['only'], [0, 1, -1], ['only', 'only', 'only']),
    byIndex('one name twice', ['x', 'x', 'y'], [0, 1, 2], ['x', 'x', 'y'], { engine: 'javascript' }),
    byIndex(
      'integers beyond 2^53',
      BigInt64Array.of(2n ** 53n + 1n, -(2n ** 63n), 5n),
      [0, 1, 2],
      [2n ** 53n + 1n, -(2 ** 63), 5],
      { engine: 'javascript' },
    ),
    denseCase(
      'classes of many scores',
      [
        [1, 2, 0],
        [0, 0, 0],
        [Number.NaN, 1, 2],
      ],
      (x) => x.classify(['a', 'b', 'c']),
      ['b', 'a', 'a'],
    ),
    denseCase('classes of one score', [[0.5], [0.50001], [Number.NaN]], (x) => x.classify([3, 4]), [3, 4, 3]),
  ],
  random: fc.oneof(
    fc
      .tuple(
        fc.oneof(
          fc.array(
            fc.string({ unit: 'binary' }).map((label) => label.toWellFormed()),
            { minLength: 1, maxLength: 20 },
          ),
          fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 20 }),
        ),
        fc.array(fc.oneof(fc.integer({ min: -3, max: 25 }), fc.maxSafeInteger()), { minLength: 1, maxLength: 6 }),
      )
      .map(([labels, indices]) => byIndex(`labels ${shown(labels)} at ${indices}`, labels as Labels, indices)),
    rowsOf(anyFloat, 3).map((rows) => denseCase('classes', rows, (x) => x.classify(['a', 'b', 'c']))),
  ),
};
