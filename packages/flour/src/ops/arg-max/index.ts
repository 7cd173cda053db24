import { scalar } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { computedTypes } from '../arithmetic/operands.js';
import '../densify/index.js';
import { reference } from './reference.js';

export const argMax = defineOp({
  name: 'arg-max',
  version: 1,
  doc: {
    does: 'The column of the greatest element, the first of equals.',
    types: 'float32[n], float64[n], int64[n] or int32[n] → int64',
    kernels: ['arg_max'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer: (use) => ofNumbers('arg-max', onlyInput('arg-max', use, 'vector'), ...computedTypes) && scalar('int64'),
  reference,
  kernel: () => ({ kernel: 'arg_max' }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * The column of the greatest element; the first of equals.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → int64. Cost: O(n).
     * @see Source: ONNX ArgMax on axis 1, select_last_index 0.
     * @example scores.argMax()
     */
    argMax(this: Flow<'vector'>): Flow<'scalar'>;
  }
}

Flow.prototype.argMax = function (this: Flow<'vector'>) {
  return this.context.apply<'scalar'>(argMax, [this.densify()]);
};
