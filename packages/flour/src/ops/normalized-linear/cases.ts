import { operators } from '@brezel/flour';
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
import { float32 } from '../../define-op.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
type Vector = Parameters<Parameters<typeof denseCase>[2]>[0];
interface Model {
  readonly norm: 'l1' | 'l2' | 'max';
  readonly weights: readonly number[];
  readonly bias: readonly number[];
}

// Only Oven adds this operator to a plan (`fold-normalize-into-linear`).
const apply =
  ({ norm, weights, bias }: Model) =>
  (x: Vector) =>
    x.context.apply<'vector'>(operators.get('normalized-linear')!, [x], {
      attributes: { norm },
      parameters: { weights: float32(weights, [weights.length / bias.length, bias.length]), bias: float32(bias) },
    });

const model = (element: fc.Arbitrary<number>) => (size: number) =>
  fc
    .constantFrom(1, 2, 3, 8, 17)
    .chain((outputs) =>
      fc.record({
        norm: fc.constantFrom<Model['norm']>('l1', 'l2', 'max'),
        weights: listOf(element, size * outputs),
        bias: listOf(element, outputs),
      }),
    )
    .map((one) => ({ name: shown(one), apply: apply(one) }));

const one = (norm: Model['norm']) => apply({ norm, weights: [5, 10], bias: [0.5] });

export const cases: OperatorCases = {
  operators: ['normalized-linear'],
  named: [
    denseCase(
      'the Euclidean length',
      [
        [3, 4],
        [0, 0],
        [-0.5, 0],
      ],
      one('l2'),
      [[11.5], [0.5], [-4.5]],
      { engine: 'native' },
    ),
    denseCase('the sum of magnitudes', [[-1, 3]], one('l1'), [[6.75]]),
    denseCase('the greatest value, with its sign', [[-2, -4]], one('max'), [[25.5]]),
    denseCase(
      'norms without a number',
      [
        [inf, 1],
        [nan, 1],
      ],
      one('l2'),
      [[nan], [nan]],
    ),
    denseCase('a length that float32 does not hold', [[1e30, 0]], one('l2'), [[0.5]]),
    denseCase('a length that is too small to see', [[1e-30, 0]], one('l2'), [[0.5]]),
    sparseCase('sparse rows, one of them empty', [3, 4], [[0, 1], []], one('l2'), [[11.5], [0.5]], {
      engine: 'native',
    }),
    denseCase('two outputs, feature-major', [[3, 4]], apply({ norm: 'l2', weights: [5, 50, 10, 100], bias: [0, 1] }), [
      [11, 111],
    ]),
  ],
  random: fc.oneof(
    vectorCases('normalized-linear', tameFloat, model(tameFloat)),
    vectorCases('normalized-linear of anything', anyFloat, model(anyFloat)),
  ),
};
