import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, shown, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const lines = () =>
  fc
    .integer({ min: 1, max: 20 })
    .chain((points) =>
      fc.record({
        x: listOf(fc.integer({ min: -20, max: 20 }), points).map((x) =>
          x.toSorted((a, b) => a - b).map((one) => one / 4),
        ),
        y: listOf(fc.float({ noNaN: true, noDefaultInfinity: true }), points),
        least: fc.constantFrom(-inf, -1, 0),
        greatest: fc.constantFrom(inf, 0, 1),
      }),
    )
    .map((options) => ({
      name: shown(options),
      apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.isotonic(options),
    }));

export const cases: OperatorCases = {
  operators: ['isotonic'],
  named: [
    denseCase(
      'between, at and beyond points',
      [[-2, -1, -0.5, 0, 1, 2, 3, nan, inf, -inf]],
      (x) => x.isotonic({ x: [-1, 0, 2], y: [0.25, 0.5, 1] }),
      [[0.25, 0.25, 0.375, 0.5, 0.75, 1, 1, nan, 1, 0.25]],
      { engine: 'native' },
    ),
    denseCase(
      'pieces of one value',
      [[0, 1, 1.5, 2, 3]],
      (x) => x.isotonic({ x: [0, 1, 2, 3], y: [0.25, 0.25, 0.75, 0.75] }),
      [[0.25, 0.25, 0.5, 0.75, 0.75]],
    ),
    denseCase(
      'a step takes the first of equal points',
      [[1, 1.0000001]],
      (x) => x.isotonic({ x: [1, 1], y: [0.25, 0.75] }),
      [[0.25, 0.75]],
    ),
    denseCase('one point', [[-5, 5]], (x) => x.isotonic({ x: [0], y: [0.5] }), [[0.5, 0.5]]),
    denseCase('clamped', [[0, 1, nan]], (x) => x.isotonic({ x: [0, 1], y: [0, 1], least: 0.25, greatest: 0.75 }), [
      [0.25, 0.75, nan],
    ]),
  ],
  random: vectorCases('isotonic', anyFloat, lines),
};
