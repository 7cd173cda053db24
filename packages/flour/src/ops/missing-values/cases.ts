import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, shown, sparseCase, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

export const cases: OperatorCases = {
  operators: ['missing-values'],
  named: [
    denseCase('indicator', [[1, nan, -0, inf]], (x) => x.missingIndicator(), [[0, 1, 0, 0]], { engine: 'native' }),
    denseCase(
      'one replacement a column',
      [
        [nan, 2],
        [-0, nan],
      ],
      (x) => x.replaceMissing([0.5, 7]),
      [
        [0.5, 2],
        [-0, 7],
      ],
      { engine: 'native' },
    ),
    denseCase('one replacement', [[nan, nan]], (x) => x.replaceMissing(3), [[3, 3]]),
    denseCase('values and indicators', [[nan, 2]], (x) => x.replaceMissing(0).concat(x.missingIndicator()), [
      [0, 2, 1, 0],
    ]),
    sparseCase('sparse rows', [nan, 1], [[], [0, 1]], (x) => x.replaceMissing([4, 5]), [
      [0, 0],
      [4, 1],
    ]),
  ],
  random: vectorCases('missing-values', anyFloat, (size) =>
    fc.option(listOf(anyFloat, size), { nil: undefined }).map((list) => ({
      name: shown(list),
      apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
        list === undefined ? x.missingIndicator() : x.replaceMissing(list),
    })),
  ),
};
