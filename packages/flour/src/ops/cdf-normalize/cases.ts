import fc from 'fast-check';
import {
  anyFloat,
  denseCase,
  listOf,
  type OperatorCases,
  shown,
  sparseCase,
  tameFloat,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
/**
 * Returns the fraction of the standard normal distribution below `z`, by the formula of ML.NET's
 * source code.
 */
const share = (z: number) => {
  const ax2 = 0.147 * ((z * z) / 2);
  return 0.5 + 0.5 * Math.sign(z) * Math.sqrt(1 - Math.exp((-(z * z) / 2) * ((4 / Math.PI + ax2) / (1 + ax2))));
};

export const cases: OperatorCases = {
  operators: ['cdf-normalize'],
  named: [
    denseCase(
      'shares of a normal distribution',
      [
        [2, 1],
        [4, 0],
        [0, nan],
        [1e30, -inf],
      ],
      (x) => x.cdfNormalize({ mean: [2, 1], deviation: [2, 0.5] }),
      [
        [0.5, 0.5],
        [Math.fround(share(1)), Math.fround(share(-2))],
        [Math.fround(share(-1)), 0],
        [1, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'of the logarithm',
      [[1, Math.E, 0, -1, inf]],
      (x) => x.cdfNormalize({ mean: Array(5).fill(1), deviation: Array(5).fill(2), log: true }),
      [[Math.fround(share(-0.5)), 0.5, 0, 0, 0]],
    ),
    denseCase('a column without deviation', [[1]], (x) => x.cdfNormalize({ mean: [1], deviation: [0] }), [[0]]),
    denseCase(
      'min-max',
      [
        [0, 5],
        [4, 5],
      ],
      (x) => x.minMaxNormalize({ minimum: [2, 5], maximum: [4, 5] }),
      [
        [-1, 0],
        [1, 0],
      ],
      {
        engine: 'native',
      },
    ),
    denseCase(
      'min-max, zero stays',
      [[0, -2]],
      (x) => x.minMaxNormalize({ minimum: [2, -8], maximum: [4, 4], fixZero: true }),
      [[0, -0.25]],
    ),
    denseCase(
      'mean and variance',
      [[3, 7]],
      (x) => x.meanVarianceNormalize({ mean: [1, 7], variance: [4, 0] }),
      [[1, 0]],
      {
        engine: 'native',
      },
    ),
    denseCase(
      'mean and variance, zero stays',
      [[10, 10]],
      (x) => x.meanVarianceNormalize({ mean: [3, 3], variance: [16, 0], fixZero: true }),
      [[2, 0]],
    ),
    sparseCase('sparse rows', [2], [[], [0]], (x) => x.cdfNormalize({ mean: [2], deviation: [2] }), [
      [Math.fround(share(-1))],
      [0.5],
    ]),
  ],
  random: vectorCases('cdf-normalize', anyFloat, (size) =>
    fc
      .record({
        mean: listOf(tameFloat, size),
        deviation: listOf(
          fc.integer({ min: 0, max: 40 }).map((n) => n / 8),
          size,
        ),
        log: fc.boolean(),
      })
      .map((options) => ({
        name: shown(options),
        apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.cdfNormalize(options),
      })),
  ),
};
