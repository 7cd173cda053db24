import fc from 'fast-check';
import {
  anyFloat,
  anySize,
  denseCase,
  listOf,
  type OperatorCases,
  shown,
  sparseCase,
  tameFloat,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const projection = (element: fc.Arbitrary<number>) => (size: number) =>
  fc.constantFrom(1, 2, 3, 8, 9, 16, 17, 40).chain((outputs) =>
    fc
      .record({
        components: listOf(element, size * outputs),
        mean: fc.option(listOf(element, size), { nil: undefined }),
        explainedVariance: fc.option(
          listOf(
            fc.integer({ min: 1, max: 90 }).map((n) => n / 8),
            outputs,
          ),
          {
            nil: undefined,
          },
        ),
      })
      .map((options) => ({
        name: `to ${outputs} ${shown(options)}`,
        apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
          x.project({
            components: options.components,
            ...(options.mean && { mean: options.mean }),
            ...(options.explainedVariance && { explainedVariance: options.explainedVariance }),
          }),
      })),
  );

export const cases: OperatorCases = {
  operators: ['project'],
  named: [
    denseCase(
      'centered and whitened',
      [
        [1, 2],
        [2, 4],
        [nan, 2],
      ],
      (x) => x.project({ components: [0.5, 1, 2, 0], mean: [1, 2], explainedVariance: [4, 16] }),
      [
        [0, 0],
        [1.25, 0.5],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
    denseCase('components only', [[1, 2, 3]], (x) => x.project({ components: [1, 0, 0, 0, 1, 1] }), [[1, 5]]),
    sparseCase(
      'sparse rows without a mean',
      [1, 2, 4],
      [[], [2, 0]],
      (x) => x.project({ components: [1, 1, 1, 0, 0, -1] }),
      [
        [0, 0],
        [5, -4],
      ],
      { engine: 'native' },
    ),
    sparseCase(
      'sparse rows with a mean',
      [1, 2],
      [[], [1]],
      (x) => x.project({ components: [1, 1], mean: [0.5, 0.25] }),
      [[-0.75], [1.25]],
      { engine: 'native' },
    ),
  ],
  random: fc.oneof(
    vectorCases('project', tameFloat, projection(tameFloat), { absolute: 0.01 }, anySize),
    vectorCases('project of anything', anyFloat, projection(anyFloat), { absolute: inf }, anySize),
  ),
};
