import fc from 'fast-check';
import { type Case, floats, ints, list, of, rowsOf, strings, tame } from './random-ml-node.js';

// Support vector machines.

const kernels = ['LINEAR', 'POLY', 'RBF', 'SIGMOID'] as const;
const kernelAttributes = (kernel: string, gamma: number, coef0: number, degree: number) => ({
  kernel_type: { s: kernel },
  kernel_params: floats(gamma, coef0, degree),
});

const svmRegressor: Case = [
  'SVMRegressor',
  fc
    .tuple(
      fc.integer({ min: 1, max: 20 }),
      fc.nat(5),
      fc.constantFrom(...kernels),
      fc.constantFrom(1, 2, 3, 4),
      fc.boolean(),
    )
    .chain(([size, supports, kernel, degree, isOneClass]) =>
      fc
        .tuple(rowsOf(size), list(tame, Math.max(supports, 1) * size), list(tame, supports || size), tame)
        .map(([rows, vectors, coefficients, rho]) =>
          of(
            'SVMRegressor',
            'float32',
            rows,
            {
              ...kernelAttributes(kernel, 0.25, 0.5, degree),
              n_supports: { i: supports },
              support_vectors: floats(supports > 0 ? vectors : []),
              coefficients: floats(coefficients),
              rho: floats(rho),
              ...(isOneClass && { one_class: { i: 1 } }),
            },
            { y: 'float32' },
            // Sums have another order, so the sign of a one-class score near zero may differ.
            // Multiples of 1/8 avoid this.
            { tolerance: [1e-3, 1e-2] },
          ),
        ),
    ),
];

const svmClassifier: Case = [
  'SVMClassifier',
  fc
    .tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(2, 3, 4),
      fc.constantFrom('LINEAR', 'RBF'),
      fc.boolean(),
      fc.boolean(),
    )
    .chain(([size, classes, kernel, hasProbabilities, isText]) => {
      const pairs = (classes * (classes - 1)) / 2;
      return fc
        .tuple(
          rowsOf(size),
          list(fc.integer({ min: 1, max: 3 }), classes).chain((perClass) => {
            const supports = perClass.reduce((sum, count) => sum + count, 0);
            return fc.tuple(fc.constant(perClass), list(tame, supports * size), list(tame, supports * (classes - 1)));
          }),
          list(tame, pairs),
          list(tame, pairs),
          list(tame, pairs),
        )
        .map(([rows, [perClass, vectors, coefficients], rho, a, b]) =>
          of(
            'SVMClassifier',
            'float32',
            rows,
            {
              ...kernelAttributes(kernel, 0.25, 0, 3),
              vectors_per_class: ints(perClass),
              support_vectors: floats(vectors),
              coefficients: floats(coefficients),
              rho: floats(rho.map((value) => value + 1 / 64)),
              ...(hasProbabilities && { prob_a: floats(a), prob_b: floats(b) }),
              ...(isText
                ? { classlabels_strings: strings(['p', 'q', 'r', 's'].slice(0, classes)) }
                : { classlabels_ints: ints([4, 2, 7, 0].slice(0, classes)) }),
            },
            { label: isText ? 'string' : 'int64', y: 'float32' },
            { tolerance: [1e-3, 1e-3] },
          ),
        );
    }),
];

const svmLinear: Case = [
  'SVMClassifier without support vectors',
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(2, 3), fc.boolean()).chain(([size, classes, isPositive]) =>
    fc
      .tuple(rowsOf(size), list(isPositive ? fc.integer({ min: 0, max: 9 }) : tame, size * classes), tame)
      .map(([rows, coefficients, rho]) =>
        of(
          'SVMClassifier',
          'float32',
          rows,
          {
            ...kernelAttributes('LINEAR', 0, 0, 0),
            coefficients: floats(coefficients),
            rho: floats(rho),
            classlabels_ints: ints([4, 2, 7].slice(0, classes)),
          },
          { label: 'int64', y: 'float32' },
        ),
      ),
  ),
];

export const svmNodes: readonly Case[] = [svmRegressor, svmClassifier, svmLinear];
