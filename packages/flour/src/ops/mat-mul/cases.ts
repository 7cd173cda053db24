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
  ],
  random: fc
    .tuple(anySize, anySize)
    .chain(([size, columns]) =>
      fc
        .tuple(rowsOf(anyElement.float64, size, 9), listOf(anyElement.float64, size * columns))
        .map(([rows, weights]) =>
          typedCase(`${size} times ${columns}: ${shown(weights)}`, 'float64', rows, (x) => x.matMul({ weights })),
        ),
    ),
};
