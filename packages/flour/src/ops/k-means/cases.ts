import fc from 'fast-check';
import {
  anyFloat,
  anySize,
  denseCase,
  listOf,
  type OperatorCases,
  rowsOf,
  shown,
  sparseCase,
  tameFloat,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const random = (element: fc.Arbitrary<number>, absolute: number) =>
  fc
    .tuple(anySize, fc.constantFrom(1, 2, 3, 8, 9, 20))
    .chain(([size, clusters]) =>
      fc
        .tuple(rowsOf(element, size), listOf(element, size * clusters), fc.boolean())
        .map(([rows, centers, nearest]) =>
          denseCase(
            `k-means ${nearest ? 'cluster' : 'distances'} ${shown(centers)}`,
            rows,
            (x) => (nearest ? x.kMeansCluster({ centers }) : x.kMeansDistances({ centers })),
            undefined,
            { absolute },
          ),
        ),
    );

export const cases: OperatorCases = {
  operators: ['k-means'],
  named: [
    denseCase(
      'distances',
      [
        [0, 0],
        [3, 4],
        [3, 0],
      ],
      (x) => x.kMeansDistances({ centers: [0, 0, 3, 4] }),
      [
        [0, 5],
        [5, 0],
        [3, 4],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'the nearest, the first of equals, the first with NaN',
      [[0], [2], [1], [4], [nan]],
      (x) => x.kMeansCluster({ centers: [0, 2, 2] }),
      [0, 1, 0, 1, 0],
      { engine: 'native' },
    ),
    // 0.1 * 0.1 is rounded in three places, each time to another number, so the squared distance
    // can fall slightly below zero.
    denseCase(
      'at a center',
      [[0.1, 0.2, 0.3]],
      (x) => x.kMeansDistances({ centers: [0.1, 0.2, 0.3], squaredNorms: [0.1399999] }),
      [[0]],
    ),
    denseCase('infinity', [[inf]], (x) => x.kMeansDistances({ centers: [1, -1] }), [[nan, inf]]),
    sparseCase('sparse rows', [3, 4], [[], [0, 1]], (x) => x.kMeansDistances({ centers: [0, 0] }), [[0], [5]]),
  ],
  random: fc.oneof(random(tameFloat, 0.01), random(anyFloat, inf)),
};
