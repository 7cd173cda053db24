import fc from 'fast-check';
import { anyFloat, anySize, denseCase, listOf, type OperatorCases, sparseCase, sparseRows } from '../../case.js';

export const cases: OperatorCases = {
  operators: ['densify'],
  named: [
    sparseCase(
      'zeros elsewhere',
      [1, -0, Number.NaN],
      [[2, 0], [], [1]],
      (x) => x.densify(),
      [
        [1, 0, Number.NaN],
        [0, 0, 0],
        [0, -0, 0],
      ],
      { engine: 'native' },
    ),
    sparseCase('one column', [4], [[0], [], [0, 0]], (x) => x.densify(), [[4], [0], [8]]),
    denseCase('a dense vector stays', [[1, -0]], (x) => x.densify(), [[1, -0]]),
  ],
  random: anySize.chain((size) =>
    fc
      .tuple(listOf(anyFloat, size), sparseRows(size))
      .map(([values, rows]) => sparseCase(`densify ${values}`, values, rows, (x) => x.densify())),
  ),
};
