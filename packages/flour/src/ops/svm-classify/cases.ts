import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, rowsOf, shown, tameFloat } from '../../case.js';

const { NaN: nan } = Number;
/** A model with three classes, which have 1, 2 and 1 support vectors. */
const three = { vectorsPerClass: [1, 2, 1], coefficients: [1, 2, 3, 4, 5, 6, 7, 8], rho: [0.5, -1, 0] };
const pairs = (x: Flow<'vector'>) => x.svmPairs(three);

export const cases: OperatorCases = {
  operators: ['svm-pairs', 'svm-votes', 'svm-probabilities'],
  named: [
    // (0,1): 1*x0 + 2*x1 + 3*x2 + 0.5; (0,2): 5*x0 + 4*x3 - 1; (1,2): 6*x1 + 7*x2 + 8*x3.
    denseCase('scores of pairs', [[1, 10, 100, 1000]], pairs, [[321.5, 4004, 8760]], { engine: 'native' }),
    denseCase(
      'votes',
      [
        [1, 1, 1],
        [-1, 1, 1],
        [-1, -1, -1],
        [-1, 1, -1],
        [nan, nan, nan],
        [0, 0, 0],
      ],
      (x) => x.svmVotes(3),
      [0, 1, 2, 0, 2, 2],
      { engine: 'native' },
    ),
    denseCase(
      'probabilities of two classes',
      [[0], [nan]],
      (x) => x.svmProbabilities({ classes: 2, slope: [-1], offset: [0] }),
      [
        [0.5, 0.5],
        [0.5, 0.5],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'equal chances of three classes',
      [[3, -7, 11]],
      (x) => x.svmProbabilities({ classes: 3, slope: [0, 0, 0], offset: [0, 0, 0] }),
      [[1 / 3, 1 / 3, 1 / 3].map(Math.fround)],
    ),
  ],
  random: fc.tuple(fc.integer({ min: 2, max: 6 }), fc.constantFrom(anyFloat, tameFloat)).chain(([classes, element]) =>
    listOf(fc.nat(3), classes).chain((perClass) => {
      const vectorsPerClass = perClass.with(0, perClass[0]! + 1);
      const count = vectorsPerClass.reduce((sum, one) => sum + one, 0);
      const of = (length: number) => listOf(element, length);
      const all = (classes * (classes - 1)) / 2;
      return fc
        .tuple(rowsOf(element, count), of((classes - 1) * count), of(all), of(all), of(all))
        .map(([rows, coefficients, rho, slope, offset]) => ({
          ...denseCase(
            `svm ${shown({ vectorsPerClass, rows, coefficients, rho, slope, offset })}`,
            rows,
            (x) => x,
            undefined,
            { engine: 'native' as const, absolute: Number.POSITIVE_INFINITY },
          ),
          build(flour) {
            const x = flour.input('x', { kind: 'vector', dtype: 'float32', size: count }) as Flow<'vector'>;
            const scores = x.svmPairs({ vectorsPerClass, coefficients, rho });
            return {
              scores,
              label: scores.svmVotes(classes),
              probabilities: scores.svmProbabilities({ classes, slope, offset }),
            };
          },
        }));
    }),
  ),
};
