import { anyFloat, denseCase, listOf, type OperatorCases, shown, sparseCase, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

export const cases: OperatorCases = {
  operators: ['weight'],
  named: [
    denseCase('dense', [[1, 2, -0, 0]], (x) => x.tfIdf({ idf: [2, 0.5, 3, inf] }), [[2, 1, -0, nan]], {
      engine: 'native',
    }),
    sparseCase(
      'sparse',
      [1, 1, 1],
      [[2, 0, 2], [], [1]],
      (x) => x.tfIdf({ idf: [1.5, 2.25, -0] }),
      [
        [1.5, 0, -0],
        [0, 0, 0],
        [0, 2.25, 0],
      ],
      { engine: 'native' },
    ),
    sparseCase('twice', [1], [[0, 0]], (x) => x.tfIdf({ idf: [0.5] }).tfIdf({ idf: [-1] }), [[-1]]),
    denseCase('overflow and subnormals', [[3e38, 1e-40]], (x) => x.tfIdf({ idf: [10, 0.1] }), [
      [inf, Math.fround(Math.fround(1e-40) * Math.fround(0.1))],
    ]),
    denseCase('17 columns', [Array(17).fill(2)], (x) => x.tfIdf({ idf: Array.from({ length: 17 }, (_, at) => at) }), [
      Array.from({ length: 17 }, (_, at) => 2 * at),
    ]),
  ],
  random: vectorCases('weight', anyFloat, (size) =>
    listOf(anyFloat, size).map((idf) => ({ name: shown(idf), apply: (x) => x.tfIdf({ idf }) })),
  ),
};
