import fc from 'fast-check';
import { anyFloat, listOf, type OperatorCases, shown, sparseCase, sparseRows } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

export const cases: OperatorCases = {
  operators: ['sublinear-tf'],
  named: [
    sparseCase(
      'counts',
      [1, 1, 1],
      [[0, 1, 1], [], [2, 2, 2, 2]],
      (x) => x.sublinearTf(),
      [
        [1, Math.fround(1 + Math.log(2)), 0],
        [0, 0, 0],
        [0, 0, Math.fround(1 + Math.log(4))],
      ],
      { engine: 'native' },
    ),
    sparseCase('what logarithms are of', [0, -0, -1, inf, nan], [[0, 1, 2, 3, 4]], (x) => x.sublinearTf(), [
      [-inf, -inf, nan, inf, nan],
    ]),
  ],
  random: fc
    .integer({ min: 1, max: 20 })
    .chain((size) => fc.tuple(listOf(anyFloat, size), sparseRows(size)))
    .map(([values, rows]) =>
      sparseCase(`sublinear ${shown(values)}`, values, rows, (x) => x.sublinearTf(), undefined, { engine: 'native' }),
    ),
};
