import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const reductions = ['sum', 'mean', 'max', 'logSumExp'] as const;

export const cases: OperatorCases = {
  operators: ['reduce'],
  named: [
    denseCase(
      'sum',
      [
        [1, 2, 3],
        [-0, -0, -0],
        [inf, -inf, 0],
      ],
      (x) => x.reduce('sum'),
      [6, 0, nan],
      { engine: 'native' },
    ),
    denseCase('sum in plain order', [[16777216, 1, 1]], (x) => x.reduce('sum'), [16777216]),
    denseCase(
      'mean',
      [
        [1, 2, 6],
        [nan, 0, 0],
      ],
      (x) => x.reduce('mean'),
      [3, nan],
    ),
    denseCase(
      'max',
      [
        [-1, 5, 2],
        [nan, 1, 2],
        [1, nan, 2],
        [-0, 0, -0],
      ],
      (x) => x.reduce('max'),
      [5, nan, 2, -0],
    ),
    denseCase('logSumExp', [[0], [-inf], [inf], [nan], [1000]], (x) => x.reduce('logSumExp'), [
      0,
      -inf,
      inf,
      nan,
      1000,
    ]),
    denseCase(
      'logSumExp of two',
      [
        [0, 0],
        [-inf, 3],
        [inf, 0],
      ],
      (x) => x.reduce('logSumExp'),
      [Math.fround(Math.LN2), 3, inf],
    ),
  ],
  random: vectorCases('reduce', anyFloat, () =>
    fc.constantFrom(...reductions).map((name) => ({ name, apply: (x) => x.reduce(name) })),
  ),
};
