import type { Activation } from '@brezel/flour';
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
const activations: readonly Activation[] = ['none', 'relu', 'tanh', 'sigmoid', 'softmax'];
/**
 * Numbers of outputs for test cases, around the sizes at which the kernel takes another path: one
 * SIMD register, several registers, and several groups of outputs.
 */
const outputCounts = [1, 2, 4, 8, 9, 15, 16, 17, 33, 64, 70, 130] as const;

const layer = (element: fc.Arbitrary<number>) => (size: number) =>
  fc.constantFrom(...outputCounts).chain((outputs) =>
    fc
      .tuple(listOf(element, size * outputs), listOf(element, outputs), fc.constantFrom(...activations))
      .map(([weights, bias, activation]) => ({
        name: `${activation} to ${outputs} ${shown({ weights, bias })}`,
        apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.dense({ weights, bias, activation }),
      })),
  );

/**
 * Builds feature-major weights: the weight of feature `f` for output `o` is f * outputs + o + 1.
 */
const counting = (features: number, outputs: number) => Array.from({ length: features * outputs }, (_, at) => at + 1);

export const cases: OperatorCases = {
  operators: ['dense'],
  named: [
    denseCase(
      'two outputs through relu',
      [
        [1, 2],
        [-1, 0],
        [nan, 0],
      ],
      (x) => x.dense({ weights: [1, -1, 0.5, 2], bias: [0.5, -0.25], activation: 'relu' }),
      [
        [2.5, 2.75],
        [0, 0.75],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
    denseCase('tanh', [[0], [inf], [-inf]], (x) => x.dense({ weights: [1], bias: [0], activation: 'tanh' }), [
      [0],
      [1],
      [-1],
    ]),
    denseCase('sigmoid', [[0], [inf], [-inf]], (x) => x.dense({ weights: [1], bias: [0], activation: 'sigmoid' }), [
      [0.5],
      [1],
      [0],
    ]),
    denseCase(
      'softmax',
      [[1]],
      (x) => x.dense({ weights: [3, 3], bias: [0, 0], activation: 'softmax' }),
      [[0.5, 0.5]],
      { engine: 'native' },
    ),
    ...outputCounts.map((outputs) =>
      denseCase(
        `nine rows to ${outputs} outputs`,
        Array.from({ length: 9 }, (_, row) => [row, 0, 1]),
        (x) => x.dense({ weights: counting(3, outputs), bias: Array(outputs).fill(0.5) }),
        Array.from({ length: 9 }, (_, row) =>
          Array.from({ length: outputs }, (_, output) => row * (output + 1) + 2 * outputs + output + 1 + 0.5),
        ),
      ),
    ),
    sparseCase(
      'sparse rows',
      [1, 2, 4],
      [[], [0, 2], [1]],
      (x) => x.dense({ weights: counting(3, 10), bias: Array(10).fill(-20), activation: 'relu' }),
      [
        Array(10).fill(0),
        Array.from({ length: 10 }, (_, output) => output + 1 + 4 * (21 + output) - 20),
        Array.from({ length: 10 }, (_, output) => Math.max(0, 2 * (11 + output) - 20)),
      ],
      { engine: 'native' },
    ),
    denseCase(
      'a perceptron of three layers',
      [
        [1, 1],
        [0, 1],
        [0, 0],
      ],
      (x) =>
        x.mlp({
          layers: [
            { weights: [1, 1, 1, 1], bias: [0, -1], activation: 'relu' },
            { weights: [1, -2], bias: [0], activation: 'relu' },
            { weights: [8], bias: [-4] },
          ],
        }),
      [[-4], [4], [-4]],
      { engine: 'native' },
    ),
  ],
  random: fc.oneof(
    vectorCases('dense', tameFloat, layer(tameFloat), { absolute: 0.01 }, anySize),
    vectorCases('dense of anything', anyFloat, layer(anyFloat), { absolute: inf }, anySize),
  ),
};
