import { vector } from '@brezel/core';
import type { FlourContext, Flow, ScatterOptions } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, listOf, type OperatorCase, type OperatorCases } from '../../case.js';

const { NaN: nan } = Number;
const types = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;
const reductions = ['none', 'add', 'multiply', 'maximum', 'minimum'] as const;
type Row = readonly [x: readonly number[], i: readonly number[], u: readonly number[]];

/** Builds a case that writes updates into rows of numbers. */
function scattered(
  name: string,
  dtype: (typeof types)[number],
  rows: readonly Row[],
  options: ScatterOptions,
  more: Partial<OperatorCase> = {},
): OperatorCase {
  const input = (flour: FlourContext, column: string, at: 0 | 1 | 2) =>
    flour.input(column, vector(at === 1 ? 'int64' : dtype, rows[0]![at].length)) as Flow<'vector'>;
  return {
    name,
    build: (flour) => ({ y: input(flour, 'x', 0).scatter(input(flour, 'i', 1), input(flour, 'u', 2), options) }),
    rows: rows.map(([x, i, u]) => ({ x, i, u })),
    engine: dtype === 'int64' ? 'mixed' : 'native',
    ...more,
  };
}

const random: fc.Arbitrary<OperatorCase> = fc
  .record({
    dtype: fc.constantFrom(...types),
    reduction: fc.constantFrom(...reductions),
    entries: fc.integer({ min: 1, max: 9 }),
    block: fc.integer({ min: 1, max: 3 }),
    count: fc.integer({ min: 1, max: 6 }),
  })
  .chain(({ dtype, reduction, entries, block, count }) =>
    fc
      .array(
        fc.tuple(
          listOf(anyElement[dtype], entries * block),
          listOf(fc.integer({ min: -entries, max: entries - 1 }), count),
          listOf(anyElement[dtype], count * block),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((rows) =>
        scattered(`${reduction} ${count} of ${entries} ${dtype} * ${block}`, dtype, rows, { reduction, block }),
      ),
  );

export const cases: OperatorCases = {
  operators: ['scatter'],
  named: [
    scattered(
      'the last of several, counted from the end',
      'float32',
      [
        [
          [1, 2, 3],
          [0, 0],
          [7, 8],
        ],
        [
          [4, 5, 6],
          [-1, 1],
          [0, 9],
        ],
      ],
      {},
      { expected: [{ y: [8, 2, 3] }, { y: [4, 9, 0] }] },
    ),
    scattered('added in order', 'float32', [[[0, 1], [1, 1], [1, 16777216]]], { reduction: 'add' }, { expected: [{ y: [0, 16777218] }] }), // biome-ignore format: one row
    scattered('integers wrap around', 'int32', [[[2 ** 30, 3], [0, 1], [4, -5]]], { reduction: 'multiply' }, { expected: [{ y: [0, -15] }] }), // biome-ignore format: one row
    scattered('the greater of zeros, and of NaN', 'float64', [[[-0, 0, nan, 1], [0, 1, 2, 3], [0, -0, 5, nan]]], { reduction: 'maximum' }, { expected: [{ y: [0, 0, nan, nan] }] }), // biome-ignore format: one row
    scattered('the lesser of zeros, and of NaN', 'float32', [[[-0, 0, nan, 1], [0, 1, 2, 3], [0, -0, 5, nan]]], { reduction: 'minimum' }, { expected: [{ y: [-0, -0, nan, nan] }] }), // biome-ignore format: one row
    scattered('entries of two', 'int32', [[[1, 2, 3, 4], [1], [8, 9]]], { block: 2 }, { expected: [{ y: [1, 2, 8, 9] }] }), // biome-ignore format: one row
    scattered('bools', 'bool', [[[0, 1, 0], [0, 1], [1, 0]]], { reduction: 'multiply' }, { expected: [{ y: [false, false, false] }] }), // biome-ignore format: one row
  ],
  random,
};
