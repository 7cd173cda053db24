import fc from 'fast-check';
import { anyFloat, anySize, denseCase, listOf, type OperatorCases, rowsOf, shown, tameFloat } from '../../case.js';

const { NaN: nan } = Number;
const kernels = ['linear', 'poly', 'rbf', 'sigmoid'] as const;
const supportVectors = [1, 2, -1, 0.5];

export const cases: OperatorCases = {
  operators: ['svm-kernel'],
  named: [
    denseCase('linear', [[3, 4]], (x) => x.svmKernel({ kernel: 'linear', supportVectors }), [[11, -1]], {
      engine: 'native',
    }),
    denseCase(
      'poly',
      [[3, 4]],
      (x) => x.svmKernel({ kernel: 'poly', gamma: 0.5, coef0: 0.5, degree: 3, supportVectors }),
      [[216, 0]],
      {
        engine: 'native',
      },
    ),
    denseCase(
      'poly of other degrees',
      [[1, 0]],
      (x) => x.svmKernel({ kernel: 'poly', degree: -2, supportVectors: [4, 0, -2, 1] }),
      [[0.0625, 0.25]],
    ),
    denseCase(
      'a root of a negative number',
      [[1, 0]],
      (x) => x.svmKernel({ kernel: 'poly', degree: 0.5, supportVectors: [4, 0, -2, 1] }),
      [[2, nan]],
    ),
    denseCase(
      'rbf',
      [[1, 2]],
      (x) => x.svmKernel({ kernel: 'rbf', gamma: 1, supportVectors }),
      [[1, Math.fround(Math.exp(-6.25))]],
      {
        engine: 'native',
      },
    ),
    denseCase('sigmoid', [[1, -0.5]], (x) => x.svmKernel({ kernel: 'sigmoid', gamma: 2, supportVectors }), [
      [0, Math.fround(Math.tanh(-2.5))],
    ]),
  ],
  random: fc
    .tuple(anySize, fc.integer({ min: 1, max: 9 }), fc.constantFrom(...kernels), fc.constantFrom(anyFloat, tameFloat))
    .chain(([size, count, kernel, element]) =>
      fc
        .tuple(
          rowsOf(element, size),
          listOf(element, size * count),
          tameFloat,
          tameFloat,
          fc.oneof(fc.integer({ min: -5, max: 70 }), tameFloat),
        )
        .map(([rows, vectors, gamma, coef0, degree]) =>
          denseCase(
            `${kernel} ${shown({ rows, vectors, gamma, coef0, degree })}`,
            rows,
            (x) => x.svmKernel({ kernel, supportVectors: vectors, gamma, coef0, degree }),
            undefined,
            { engine: 'native', absolute: Number.POSITIVE_INFINITY },
          ),
        ),
    ),
};
