import type { CovarianceType, PosteriorOutput } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, rowsOf, shown, sparseCase, tameFloat } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const outputs: readonly PosteriorOutput[] = ['joint', 'logProbability', 'probability', 'class', 'logLikelihood'];
const normal = -0.5 * Math.log(2 * Math.PI);

const numbersOf = { full: (k: number, d: number) => k * d * d, tied: (_: number, d: number) => d * d } as const;

const random = (element: fc.Arbitrary<number>) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<CovarianceType>('full', 'tied', 'diag', 'spherical'),
    )
    .chain(([size, components, covarianceType]) => {
      const count =
        covarianceType === 'full' || covarianceType === 'tied'
          ? numbersOf[covarianceType](components, size)
          : covarianceType === 'diag'
            ? components * size
            : components;
      return fc
        .record({
          rows: rowsOf(element, size),
          weights: listOf(fc.integer({ min: 1, max: 9 }), components),
          means: listOf(tameFloat, components * size),
          precisionsCholesky: listOf(
            fc.integer({ min: 1, max: 40 }).map((n) => n / 8),
            count,
          ),
          output: fc.constantFrom(...outputs),
        })
        .map(({ rows, ...model }) =>
          denseCase(
            `gaussian-mixture ${covarianceType} ${shown(model)}`,
            rows,
            (x) => x.gaussianMixture({ ...model, covarianceType }),
            undefined,
            { absolute: inf },
          ),
        );
    });

const unit = { weights: [1], means: [0, 0], output: 'joint' } as const;

export const cases: OperatorCases = {
  operators: ['gaussian-mixture'],
  named: [
    denseCase(
      'two components apart',
      [[0], [8], [4], [nan]],
      (x) =>
        x.gaussianMixture({
          weights: [0.5, 0.5],
          means: [0, 8],
          precisionsCholesky: [1, 1],
          covarianceType: 'spherical',
        }),
      [
        [1, Math.fround(Math.exp(-32))],
        [Math.fround(Math.exp(-32)), 1],
        [0.5, 0.5],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'the component, the first of equals',
      [[0], [8], [4]],
      (x) =>
        x.gaussianMixture({
          weights: [0.5, 0.5],
          means: [0, 8],
          precisionsCholesky: [1, 1],
          covarianceType: 'diag',
          output: 'class',
        }),
      [0, 1, 0],
      { engine: 'native' },
    ),
    denseCase('a full factor', [[1, 2]], (x) => x.gaussianMixture({ ...unit, precisionsCholesky: [1, 3, 0, 2] }), [
      [Math.fround(2 * normal + Math.log(2) - 0.5 * (1 + 49))],
    ]),
    denseCase(
      'one factor for two components',
      [[1, 2]],
      (x) =>
        x.gaussianMixture({
          weights: [1, 1],
          means: [0, 0, 1, 2],
          precisionsCholesky: [1, 3, 0, 2],
          covarianceType: 'tied',
          output: 'joint',
        }),
      [[Math.fround(2 * normal + Math.log(2) - 25), Math.fround(2 * normal + Math.log(2))]],
    ),
    denseCase(
      'likelihood of a row',
      [
        [0, 0],
        [inf, 0],
      ],
      (x) =>
        x.gaussianMixture({ ...unit, precisionsCholesky: [1, 1], covarianceType: 'diag', output: 'logLikelihood' }),
      [[Math.fround(2 * normal)], [-inf]],
    ),
    denseCase(
      'gaussian naive bayes',
      [[0], [2], [1]],
      (x) => x.gaussianNaiveBayes({ theta: [0, 2], variance: [1, 1], classPrior: [0.5, 0.5] }),
      [
        [Math.fround(1 / (1 + Math.exp(-2))), Math.fround(1 / (1 + Math.exp(2)))],
        [Math.fround(1 / (1 + Math.exp(2))), Math.fround(1 / (1 + Math.exp(-2)))],
        [0.5, 0.5],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'gaussian naive bayes, a class without prior',
      [[0]],
      (x) => x.gaussianNaiveBayes({ theta: [0, 0], variance: [1, 4], classPrior: [1, 0] }),
      [[1, 0]],
    ),
    sparseCase(
      'sparse rows',
      [1, 2],
      [[], [0, 1]],
      (x) => x.gaussianMixture({ ...unit, precisionsCholesky: [1], covarianceType: 'spherical' }),
      [[Math.fround(2 * normal)], [Math.fround(2 * normal - 2.5)]],
    ),
  ],
  random: fc.oneof(random(tameFloat), random(anyFloat)),
};
