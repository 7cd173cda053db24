import { sizeOf, sparse, vector } from '@brezel/core';
import { ofKind, ofNumbers } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { reference } from './reference.js';

export const concat = defineOp({
  name: 'concat',
  version: 1,
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', breaker: true },
  infer(use) {
    if (use.inputs.length === 0) throw flourError('ERR_FLOUR_GRAPH', { expected: 'at least one input', at: 'concat' });
    for (const input of use.inputs) ofNumbers('concat', ofKind('concat', input, 'sparse', 'vector'), 'float32');
    const size = use.inputs.reduce((sum, input) => sum + sizeOf(input), 0);
    return use.inputs.some((input) => input.kind === 'sparse') ? sparse(size) : vector('float32', size);
  },
  reference,
  kernel: () => ({ kernel: 'concat' }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Puts vectors one after the other.
     *
     * Shapes: `[a]`, `[b]`, ... float32 → `[a + b + ...]`; sparse as soon as one input is. Cost: O(nnz); free before a linear model, which
     * Oven pushes through it.
     * @see Source: ONNX Concat on axis 1; the paper's Concat.
     * @example words.concat(chars).logistic({ weights, bias })
     */
    concat(this: Flow<'vector'>, ...others: Flow<'vector'>[]): Flow<'vector'>;
  }
}

Flow.prototype.concat = function (this: Flow<'vector'>, ...others) {
  return this.context.apply<'vector'>(concat, [this, ...others]);
};
