import { scalar, sizeOf } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../densify/index.js';
import { type Reduction, reductions, reference } from './reference.js';

const names = Object.keys(reductions);

export const reduce = defineOp({
  name: 'reduce',
  version: 1,
  doc: {
    does: 'One number from all elements.',
    types: 'float32[n] → float32',
    attributes: { reduction: 'sum, mean, max or logSumExp' },
    kernels: ['reduce'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('reduce', onlyInput('reduce', use, 'vector'), 'float32');
    if (sizeOf(type) === 0)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'at least one column', received: 'none', at: 'reduce' });
    return scalar('float32');
  },
  reference,
  kernel: ({ attributes }) => ({ kernel: 'reduce', attributes: [names.indexOf(attributes.reduction as string)] }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * One number from all elements: sum, mean, max, or the logarithm of the sum of their exponentials.
     *
     * Shapes: dense float32 `[n]` → float32. Cost: O(n). Bit-equal on every engine.
     * @see Source: ONNX ReduceSum, ReduceMean, ReduceMax, ReduceLogSumExp on axis 1.
     * @example logits.reduce('logSumExp')
     */
    reduce(this: Flow<'vector'>, reduction: Reduction): Flow<'scalar'>;
  }
}

Flow.prototype.reduce = function (this: Flow<'vector'>, reduction) {
  return this.context.apply<'scalar'>(reduce, [this.densify()], { attributes: { reduction } });
};
