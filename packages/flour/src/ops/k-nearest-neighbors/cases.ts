import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, rowsOf, shown, sparseCase, tameFloat } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const line = { points: [0, 1, 2, 10], neighbors: 2 };
const numbered = fc.constantFrom(0, 1, 2, 3, -1); // many equal distances

const random = (element: fc.Arbitrary<number>, point: fc.Arbitrary<number>) =>
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(1, 2, 3, 7, 63, 64, 65, 150), fc.boolean())
    .chain(([size, count, classify]) =>
      fc
        .record({
          rows: rowsOf(element, size),
          points: listOf(point, size * count),
          classes: listOf(fc.nat(2), count),
          targets: listOf(tameFloat, count * 2),
          neighbors: fc.integer({ min: 1, max: Math.min(count, 9) }),
          weights: fc.constantFrom('uniform' as const, 'distance' as const),
          metric: fc.constantFrom(
            'euclidean' as const,
            'manhattan' as const,
            'chebyshev' as const,
            'minkowski' as const,
          ),
          power: fc.constantFrom(1, 1.5, 2, 3),
          nearness: fc.constantFrom('power' as const, 'root' as const),
        })
        .map(({ rows, classes, targets, ...model }) =>
          denseCase(
            `k-nearest-neighbors ${shown(model)}`,
            rows,
            (x) =>
              classify
                ? x.neighborsClassifier({ ...model, classes, classCount: 3 })
                : x.neighborsRegressor({ ...model, targets }),
            undefined,
            { absolute: inf },
          ),
        ),
    );

export const cases: OperatorCases = {
  operators: ['k-nearest-neighbors'],
  named: [
    denseCase(
      'shares of classes',
      [[0.25], [9], [inf]],
      (x) => x.neighborsClassifier({ ...line, classes: [0, 1, 0, 2], classCount: 4 }),
      [
        [0.5, 0.5, 0, 0],
        [0.5, 0, 0.5, 0],
        [0.5, 0.5, 0, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'the earlier of equals',
      [[1], [0.5]],
      (x) => x.neighborsClassifier({ points: [2, 0, 1, 1], neighbors: 1, classes: [0, 1, 2, 3] }),
      [
        [0, 0, 1, 0],
        [0, 1, 0, 0],
      ],
    ),
    // The distances are 0.65000004 and 0.64999998 before the root, and equal after the root.
    ...(['power', 'root'] as const).map((nearness) =>
      denseCase(
        `nearer by ${nearness}`,
        [[0, 0]],
        (x) => x.neighborsClassifier({ points: [0.1, 0.8, 0.4, 0.7], neighbors: 1, classes: [0, 1], nearness }),
        [nearness === 'power' ? [0, 1] : [1, 0]],
      ),
    ),
    denseCase('NaN is far from everything', [[nan]], (x) => x.neighborsRegressor({ ...line, targets: [1, 2, 4, 8] }), [
      [1.5],
    ]),
    denseCase(
      'mean targets',
      [[0], [11]],
      (x) => x.neighborsRegressor({ ...line, targets: [1, 10, 3, 20, 5, 60, 7, 0] }),
      [
        [2, 15],
        [6, 30],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'weights by distance; at a point only such points count',
      [[0.25], [1]],
      (x) => x.neighborsRegressor({ ...line, weights: 'distance', targets: [3, 7, 0, 0] }),
      [[4], [7]],
      { engine: 'native' },
    ),
    ...(
      [
        ['manhattan', 1],
        ['chebyshev', 0],
        ['euclidean', 0],
      ] as const
    ).map(([metric, nearest]) =>
      denseCase(
        metric,
        [[0, 0]],
        (x) => x.neighborsClassifier({ points: [3, 3, 5, 0], neighbors: 1, classes: [0, 1], metric }),
        [nearest === 0 ? [1, 0] : [0, 1]],
      ),
    ),
    denseCase(
      'minkowski, weighted by distance: 1/2 and 1',
      [[0]],
      (x) =>
        x.neighborsClassifier({
          points: [2, 1],
          neighbors: 2,
          classes: [0, 1],
          metric: 'minkowski',
          power: 4,
          weights: 'distance',
        }),
      [[Math.fround(1 / 3), Math.fround(2 / 3)]],
    ),
    sparseCase(
      'sparse rows',
      [1, 2],
      [[], [0, 1]],
      (x) => x.neighborsClassifier({ points: [1, 2, 0, 0], neighbors: 1, classes: [0, 1] }),
      [
        [0, 1],
        [1, 0],
      ],
    ),
  ],
  random: fc.oneof(random(numbered, numbered), random(tameFloat, tameFloat), random(anyFloat, numbered)),
};
