import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, sparseCase, vectorCases } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

const shapes = () =>
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.nat(4), fc.boolean(), fc.boolean())
    .map(([most, least, interactionOnly, includeBias]) => {
      const options = {
        degree: [Math.min(least, most), most] as const,
        interactionOnly,
        includeBias: includeBias || (interactionOnly && least > 0),
      };
      return {
        name: JSON.stringify(options),
        apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.polynomialFeatures(options),
      };
    });

export const cases: OperatorCases = {
  operators: ['polynomial-features'],
  named: [
    denseCase(
      'degree 2',
      [
        [2, 3],
        [nan, 0],
        [inf, 0],
      ],
      (x) => x.polynomialFeatures(),
      [
        [1, 2, 3, 4, 6, 9],
        [1, nan, 0, nan, nan, 0],
        [1, inf, 0, inf, nan, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'degree 3 of three, without bias',
      [[2, 3, 5]],
      (x) => x.polynomialFeatures({ degree: 3, includeBias: false }),
      [[2, 3, 5, 4, 6, 10, 9, 15, 25, 8, 12, 20, 18, 30, 50, 27, 45, 75, 125]],
    ),
    denseCase('interactions only', [[2, 3, 5]], (x) => x.polynomialFeatures({ degree: 3, interactionOnly: true }), [
      [1, 2, 3, 5, 6, 10, 15, 30],
    ]),
    denseCase(
      'interactions of more features than there are',
      [[2]],
      (x) => x.polynomialFeatures({ degree: 4, interactionOnly: true }),
      [[1, 2]],
    ),
    denseCase('degrees 2 to 3', [[2, 3]], (x) => x.polynomialFeatures({ degree: [2, 3] }), [
      [1, 4, 6, 9, 8, 12, 18, 27],
    ]),
    denseCase('degree 3 alone', [[2, 3]], (x) => x.polynomialFeatures({ degree: [3, 3], includeBias: false }), [
      [8, 12, 18, 27],
    ]),
    denseCase('degree 0', [[7]], (x) => x.polynomialFeatures({ degree: 0 }), [[1]], { engine: 'native' }),
    denseCase('degree 1', [[7, -0]], (x) => x.polynomialFeatures({ degree: 1 }), [[1, 7, -0]]),
    // The product runs from left to right, so 3e38 * 3e38 overflows before it meets the zero.
    denseCase('a product overflows', [[3e38, 0]], (x) => x.polynomialFeatures({ degree: [3, 3], includeBias: false }), [
      [inf, nan, 0, 0],
    ]),
    sparseCase('sparse rows', [2, 3], [[], [1]], (x) => x.polynomialFeatures(), [
      [1, 0, 0, 0, 0, 0],
      [1, 0, 3, 0, 0, 9],
    ]),
  ],
  random: vectorCases('polynomial-features', anyFloat, shapes, {}, fc.integer({ min: 1, max: 7 })),
};
