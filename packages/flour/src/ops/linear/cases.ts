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
const outputCounts = [1, 2, 3, 4, 5, 8, 9, 16, 17] as const;
/**
 * Builds feature-major weights: the weight of feature `f` for output `o` is f * outputs + o + 1.
 */
const counting = (features: number, outputs: number) => Array.from({ length: features * outputs }, (_, at) => at + 1);

const model = (element: fc.Arbitrary<number>) => (size: number) =>
  fc.constantFrom(...outputCounts).chain((outputs) =>
    fc
      .tuple(listOf(element, size * outputs), listOf(element, outputs), fc.boolean())
      .map(([weights, bias, logistic]) => ({
        name: `to ${outputs} ${logistic ? 'logistic ' : ''}${shown({ weights, bias })}`,
        apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
          logistic ? x.logistic({ weights, bias }) : x.linear({ weights, bias }),
      })),
  );

export const cases: OperatorCases = {
  operators: ['linear'],
  named: [
    denseCase(
      'one output',
      [
        [1, 2],
        [0, 0],
        [-1, 0.5],
      ],
      (x) => x.linear({ weights: [0.5, -1], bias: 0.25 }),
      [[-1.25], [0.25], [-0.75]],
      { engine: 'native' },
    ),
    ...outputCounts.map((outputs) =>
      denseCase(
        `${outputs} outputs, feature-major`,
        [
          [1, 0, 0],
          [0, 10, 1],
        ],
        (x) => x.linear({ weights: counting(3, outputs), bias: Array(outputs).fill(0.5) }),
        [
          Array.from({ length: outputs }, (_, output) => output + 1.5),
          Array.from({ length: outputs }, (_, output) => 10 * (outputs + output + 1) + 2 * outputs + output + 1 + 0.5),
        ],
      ),
    ),
    denseCase('no bias given', [[2]], (x) => x.linear({ weights: [3] }), [[6]]),
    denseCase(
      'NaN and infinity times zero',
      [
        [nan, 0],
        [inf, 0],
        [1, 0],
      ],
      (x) => x.linear({ weights: [0, inf], bias: 0 }),
      [[nan], [nan], [nan]],
      { absolute: inf },
    ),
    denseCase('negative zero plus bias', [[-0]], (x) => x.linear({ weights: [1], bias: -0 }), [[0]]),
    sparseCase(
      'an empty row is the bias',
      [1, 1],
      [[], [1], [0, 1]],
      (x) => x.linear({ weights: [1, 2, 3, 4], bias: [0.5, 0.25] }),
      [
        [0.5, 0.25],
        [3.5, 4.25],
        [4.5, 6.25],
      ],
      { engine: 'native' },
    ),
    // 17 terms: the seventeenth term is added to the first of the 16 partial sums.
    denseCase(
      'more terms than lanes',
      [Array.from({ length: 17 }, (_, at) => (at === 0 ? 16777216 : 1))],
      (x) => x.linear({ weights: Array(17).fill(1) }),
      [[16777216 + 14]],
      { absolute: 8 },
    ),
    denseCase(
      'mirrored classes',
      [
        [1, 2],
        [-0, 0],
        [3, -1],
      ],
      (x) => x.linear({ weights: [-1, 1, 2, -2], bias: [-0.5, 0.5] }),
      [
        [2.5, -2.5],
        [-0.5, 0.5],
        [-5.5, 5.5],
      ],
    ),
    denseCase('mirrored classes with zeros', [[0], [-0], [1]], (x) => x.linear({ weights: [-0, 0], bias: [-0, 0] }), [
      [0, 0],
      [0, 0],
      [0, 0],
    ]),
    denseCase('mirrored classes with NaN', [[1]], (x) => x.linear({ weights: [nan, nan], bias: [0, 0] }), [[nan, nan]]),
    denseCase('logistic', [[0], [inf], [-inf]], (x) => x.logistic({ weights: [1] }), [[0.5], [1], [0]]),
    denseCase('a concat below', [[1, 2, 3]], (x) => x.concat(x).linear({ weights: [1, 2, 3, 4, 5, 6], bias: 1 }), [
      [1 + 14 + 32],
    ]),
    sparseCase(
      'a concat of sparse vectors below',
      [1, 2],
      [[0], [], [1, 0]],
      (x) => x.concat(x, x).linear({ weights: counting(6, 3), bias: [0, 0, 1] }),
      [
        [21, 24, 28],
        [0, 0, 1],
        [21 + 60, 24 + 66, 28 + 72],
      ],
    ),
  ],
  random: fc.oneof(
    vectorCases('linear', tameFloat, model(tameFloat), { absolute: 0.01 }, anySize),
    vectorCases('linear of anything', anyFloat, model(anyFloat), { absolute: inf }, anySize),
  ),
};
