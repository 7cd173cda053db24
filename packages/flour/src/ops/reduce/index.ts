import { dtypeOf, printType, scalar, sizeOf, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { integerIn, placeOf } from '../../numbers.js';
import { computedTypes } from '../arithmetic/operands.js';
import '../densify/index.js';
import { type Reduction, reductionNames, reference } from './reference.js';

export { onnxReductions, type Reduction } from './reference.js';

/**
 * Defines the operator `reduce`, which reduces a vector to one number, or each of several equal
 * parts of it to one number. `Flow.reduce` adds it to a program.
 *
 * Types: float32[n], float64[n], int64[n] or int32[n] → a number, or [parts], of the same type.
 */
export const reduce = defineOp({
  name: 'reduce',
  version: 1,
  doc: {
    does: 'Reduces a row to one number, or each of several equal parts of it to one number.',
    types: 'float32[n], float64[n], int64[n] or int32[n] → a number, or [parts], of the same type',
    attributes: {
      reduction: 'sum, mean, max, min, product, sumOfSquares, sumOfAbsolutes, length or logSumExp',
      parts: 'number of equal parts of the row, a divisor of n. Default: 1',
    },
    kernels: ['reduce'],
  },
  attributes: { reduction: 'infer', parts: 'infer' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', wide: true },
  infer(use) {
    const type = ofNumbers('reduce', onlyInput('reduce', use, 'vector'), ...computedTypes);
    if (sizeOf(type) === 0)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'at least one column', received: 'none', at: 'reduce' });
    placeOf('reduce', 'reduction', use.attributes.reduction, reductionNames);
    if (use.attributes.parts === undefined) return scalar(dtypeOf(type));
    const parts = integerIn('reduce', 'parts', use.attributes.parts as number, 1, sizeOf(type));
    if (sizeOf(type) % parts === 0) return vector(dtypeOf(type), parts);
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `a multiple of ${parts} columns`,
      received: printType(type),
      at: 'reduce',
    });
  },
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'reduce',
    attributes: [reductionNames.indexOf(attributes.reduction as Reduction)],
  }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Reduces all elements to one number: their sum, mean, maximum, minimum, product, sum of
     * squares, sum of absolute values, Euclidean length, or log-sum-exp. With `parts`, divides the
     * row into parts of the same length and returns one number for each part.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → a number, or `[parts]`, of that type.
     * Cost: O(n). Bit-equal on every engine: sums run in index order. Integers wrap around, and
     * means of integers are truncated towards 0. Lengths and log-sum-exp of integers are computed
     * in float64; a result outside the type becomes its greatest or least integer.
     * @see Source: ONNX ReduceSum, ReduceMean, ReduceMax, ReduceLogSumExp, ReduceProd, ... on the
     * last axis.
     * @throws ERR_FLOUR_SIZE unless the number of columns is a multiple of `parts`.
     * @example logits.reduce('logSumExp')
     */
    reduce(this: Flow<'vector', Row, unknown>, reduction: Reduction): Flow<'scalar', Row>;
    reduce(
      this: Flow<'vector', Row, unknown>,
      reduction: Reduction,
      options: { readonly parts: number },
    ): Flow<'vector', Row>;
  }
}

Flow.prototype.reduce = function (this: Flow<'vector'>, reduction: Reduction, options?: { readonly parts: number }) {
  return this.context.apply(reduce, [this.densify()], { attributes: { reduction, ...options } }) as never;
};
