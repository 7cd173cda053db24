import fc from 'fast-check';
import { anyElement, anySize, listOf, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

export const cases: OperatorCases = {
  operators: ['mat-mul'],
  named: [
    typedCase(
      'two columns',
      'float64',
      [
        [1, 2, 3],
        [0.1, 0.2, nan],
      ],
      (x) => x.matMul({ weights: [1, 10, 2, 20, 3, 30] }),
      [
        [14, 140],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
    typedCase('sums in plain order', 'float64', [[1e16, 1, 1, -1e16]], (x) => x.matMul({ weights: [1, 1, 1, 1] }), [
      [0],
    ]),
    typedCase('more than float32 holds', 'float64', [[0.1, 1e300]], (x) => x.matMul({ weights: [3, 0] }), [[0.1 * 3]]),
    typedCase('no product and a negative zero', 'float64', [[-0], [inf]], (x) => x.matMul({ weights: [1] }), [
      [0],
      [inf],
    ]),
    typedCase(
      'integers wrap around',
      'int32',
      [[2 ** 31 - 1, 65536]],
      (x) => x.matMul({ weights: [2, 1, 65536, 1] }),
      [[-2, -(2 ** 31) + 65535]],
      { engine: 'native' },
    ),
    typedCase(
      'integers of 64 bits',
      'int64',
      [[2 ** 40, 3]],
      (x) => x.matMul({ weights: [2 ** 24, -1] }).compare('equal', -3),
      [[true]],
    ),
  ],
  random: fc
    .tuple(anySize, anySize, fc.constantFrom('float64' as const, 'int64' as const, 'int32' as const))
    .chain(([size, columns, dtype]) =>
      fc
        .tuple(rowsOf(anyElement[dtype], size, 9), listOf(anyElement[dtype], size * columns))
        .map(([rows, weights]) =>
          typedCase(`${dtype}[${size}] times ${columns}: ${shown(weights)}`, dtype, rows, (x) => x.matMul({ weights })),
        ),
    ),
};
