import type { NumericDType } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyFloat,
  denseCase,
  listOf,
  type OperatorCase,
  type OperatorCases,
  shown,
  sparseCase,
  vectorCases,
} from '../../case.js';

const typed = (
  dtype: NumericDType,
  rows: readonly (readonly (number | boolean)[])[],
  columns: readonly number[],
  expected: readonly unknown[],
): OperatorCase => ({
  name: `of ${dtype}`,
  build: (flour) => ({
    y: (flour.input('x', { kind: 'vector', dtype, size: rows[0]!.length }) as Flow<'vector'>).selectColumns(columns),
  }),
  rows: rows.map((x) => ({ x })),
  expected: expected.map((y) => ({ y })),
});

export const cases: OperatorCases = {
  operators: ['select-columns'],
  named: [
    denseCase('in the order given', [[1, -0, 3]], (x) => x.selectColumns([2, 1]), [[3, -0]], { engine: 'native' }),
    denseCase('a column twice', [[1, 2]], (x) => x.selectColumns([0, 0, 1, 0]), [[1, 1, 2, 1]]),
    denseCase('one of one', [[5]], (x) => x.selectColumns([0]), [[5]]),
    sparseCase(
      'of a sparse vector',
      [1, 2, 3],
      [[0, 2], [2, 0], [1], []],
      (x) => x.selectColumns([2, 0]),
      [
        [3, 1],
        [3, 1],
        [0, 0],
        [0, 0],
      ],
      { engine: 'native' },
    ),
    sparseCase('a sparse column twice', [1, 2], [[0, 1], []], (x) => x.selectColumns([1, 1]), [
      [2, 2],
      [0, 0],
    ]),
    sparseCase(
      'entries keep their order',
      [1, 2, 3],
      [[2, 1, 0]],
      (x) => x.selectColumns([0, 1, 2]).linear({ weights: [1, 1, 1] }),
      [[6]],
    ),
    typed('int64', [[1, -9007199254740991, 3]], [1, 0], [[-9007199254740991, 1]]),
    typed('int32', [[1, -2147483648]], [1], [[-2147483648]]),
    typed('bool', [[true, false]], [1, 0], [[false, true]]),
  ],
  random: vectorCases('select', anyFloat, (size) =>
    fc
      .integer({ min: 1, max: 20 })
      .chain((count) => listOf(fc.nat(size - 1), count))
      .map((columns) => ({ name: shown(columns), apply: (x) => x.selectColumns(columns) })),
  ),
};
