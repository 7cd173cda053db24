import type { ParameterValue } from '@brezel/core';
import { repeatRow } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, denseInput, listOf, type OperatorCases, rowsOf } from '../../case.js';

const numbers = (values: readonly number[], shape: readonly number[] = [values.length]): ParameterValue => ({
  dtype: 'float32',
  shape,
  data: Float32Array.from(values),
});

export const cases: OperatorCases = {
  operators: ['constant-row'],
  named: [
    denseCase('one number', [[5], [Number.NaN]], (x) => repeatRow(x, numbers([-0], [])) as never, [-0, -0], {
      engine: 'native',
    }),
    denseCase('three numbers', [[5, 6]], (x) => repeatRow(x, numbers([1, Number.NaN, 3])) as never, [
      [1, Number.NaN, 3],
    ]),
    {
      name: 'every type, beside a text',
      build: (flour) => {
        const text = flour.columns({ text: 'string' }).select('text');
        return {
          d: repeatRow(text, { dtype: 'float64', shape: [2], data: Float64Array.of(0.1, 1e300) }),
          i: repeatRow(text, { dtype: 'int64', shape: [1, 1], data: BigInt64Array.of(-7n) }),
          j: repeatRow(text, { dtype: 'int32', shape: [], data: Int32Array.of(9) }),
          b: repeatRow(text, { dtype: 'bool', shape: [2], data: Uint8Array.of(1, 0) }),
          s: repeatRow(text, { dtype: 'string', shape: [2], values: ['a', ''] }),
        };
      },
      rows: [{ text: 'x' }, { text: '' }],
      expected: [
        { d: [0.1, 1e300], i: [[-7]], j: 9, b: [true, false], s: ['a', ''] },
        { d: [0.1, 1e300], i: [[-7]], j: 9, b: [true, false], s: ['a', ''] },
      ],
    },
  ],
  random: fc
    .integer({ min: 1, max: 20 })
    .chain((size) => fc.tuple(listOf(anyFloat, size), rowsOf(anyFloat, 2)))
    .map(([row, rows]) => ({
      name: `constant-row of ${row.length}`,
      build: (flour) => {
        const x = denseInput(flour, 2);
        return { y: x.concat(repeatRow(x, numbers(row)) as never) };
      },
      rows: rows.map((x) => ({ x })),
    })),
};
