import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import { computedTypes } from '../arithmetic/operands.js';
import '../densify/index.js';
import { reference } from './reference.js';

/**
 * Defines the operator `cumulative-sum`, which returns the running sum up to each element.
 * `Flow.cumulativeSum` adds it to a program.
 *
 * Types: float32[n], float64[n], int64[n] or int32[n] → the same.
 */
export const cumulativeSum = defineOp({
  name: 'cumulative-sum',
  version: 1,
  doc: {
    does: 'Returns for each element the sum of all elements up to it.',
    types: 'float32[n], float64[n], int64[n] or int32[n] → the same',
    attributes: {
      exclusive: 'true: the sum does not include the element itself',
      reverse: 'true: starts at the last element',
    },
    kernels: ['cumulative_sum'],
  },
  attributes: { exclusive: 'boolean', reverse: 'boolean' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', wide: true },
  infer(use) {
    for (const name of ['exclusive', 'reverse'])
      placeOf('cumulative-sum', name, String(use.attributes[name]), ['false', 'true']);
    return ofNumbers('cumulative-sum', onlyInput('cumulative-sum', use, 'vector'), ...computedTypes);
  },
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'cumulative_sum',
    attributes: [Number(attributes.exclusive === true), Number(attributes.reverse === true)],
  }),
});

/** Options of `Flow.cumulativeSum`. */
export interface CumulativeSumOptions {
  /** If true, the sum at an element does not include the element. Default false. */
  readonly exclusive?: boolean;
  /** If true, sums start at the last element. Default false. */
  readonly reverse?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns for each element the sum of all elements up to it, added in order.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → the same. Cost: O(n). Bit-equal on
     * every engine; integers wrap around.
     * @see Source: ONNX CumSum on axis 1.
     * @example scores.softmax().cumulativeSum()
     */
    cumulativeSum(this: Flow<'vector', Row, Value>, options?: CumulativeSumOptions): Flow<'vector', Row, Value>;
  }
}

Flow.prototype.cumulativeSum = function (this: Flow<'vector'>, { exclusive = false, reverse = false } = {}) {
  return this.context.apply<'vector'>(cumulativeSum, [this.densify()], { attributes: { exclusive, reverse } });
};
