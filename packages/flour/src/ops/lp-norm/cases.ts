import type { LpNorm } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, sparseCase, tameFloat, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const norms: readonly LpNorm[] = ['l1', 'l2', 'deviation', 'infinity'];

const uses = () =>
  fc
    .record({ norm: fc.constantFrom(...norms), subtractMean: fc.boolean(), scale: fc.constantFrom(1, 3, 0.1) })
    .map((options) => ({
      name: JSON.stringify(options),
      apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.lpNorm(options),
    }));

export const cases: OperatorCases = {
  operators: ['lp-norm'],
  named: [
    denseCase(
      'l1',
      [
        [1, -3],
        [0, -0],
      ],
      (x) => x.lpNorm({ norm: 'l1' }),
      [
        [0.25, -0.75],
        [0, -0],
      ],
      { engine: 'native' },
    ),
    denseCase('l2', [[3, 4]], (x) => x.lpNorm(), [[3, 4].map((value) => Math.fround(value * Math.fround(0.2)))]),
    denseCase(
      'infinity',
      [
        [1, -4],
        [nan, 2],
      ],
      (x) => x.lpNorm({ norm: 'infinity' }),
      [
        [0.25, -1],
        [nan, 1],
      ],
    ),
    denseCase(
      'standard deviation without the mean',
      [
        [1, 3, 5, 7],
        [2, 2, 2, 2],
      ],
      (x) => x.lpNorm({ norm: 'deviation', subtractMean: true, scale: 2 }),
      [[-3, -1, 1, 3].map((value) => Math.fround(value * Math.fround(2 / Math.fround(Math.sqrt(5))))), [0, 0, 0, 0]],
    ),
    denseCase('deviation, the mean kept', [[0, 2]], (x) => x.lpNorm({ norm: 'deviation' }), [[0, 2]]),
    denseCase('l1 about the mean', [[1, 5]], (x) => x.lpNorm({ norm: 'l1', subtractMean: true }), [[-0.5, 0.5]]),
    denseCase(
      'very long rows stay',
      [
        [1e9, 0],
        [inf, 1],
      ],
      (x) => x.lpNorm({ norm: 'l1' }),
      [
        [1e9, 0],
        [inf, 1],
      ],
    ),
    sparseCase('sparse rows', [2, 6], [[], [0, 1]], (x) => x.lpNorm({ norm: 'l1', subtractMean: true }), [
      [0, 0],
      [-0.5, 0.5],
    ]),
  ],
  random: fc.oneof(vectorCases('lp-norm', tameFloat, uses), vectorCases('lp-norm of anything', anyFloat, uses)),
};
