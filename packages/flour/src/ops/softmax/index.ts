import { ofNumbers, onlyInput } from '../../checks.js';
import { FUNCTION_NANOS } from '../../costs.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import type { LinearOptions } from '../linear/index.js';
import { reference } from './reference.js';

export const softmax = defineOp({
  name: 'softmax',
  version: 1,
  doc: {
    does: 'Scores as probabilities that add up to 1.',
    types: 'float32[n] or float64[n] → the same',
    attributes: { keepZeros: 'whether scores of 0 stay 0 (SOFTMAX_ZERO)' },
    kernels: ['softmax'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer: (use) => ofNumbers('softmax', onlyInput('softmax', use, 'vector'), 'float32', 'float64'),
  reference,
  cost: ({ entries }) => entries.output * FUNCTION_NANOS,
  kernel: ({ attributes }) => ({ kernel: 'softmax', attributes: [attributes.keepZeros ? 1 : 0] }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Turns scores into probabilities that add up to 1; with weights, scores the features with a linear model first.
     *
     * Shapes: scores `[n]` → `[n]`, or features `[d]` → `[outputs]`; float32 (scores also float64). Cost: O(n) + O(nnz * outputs). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE when `weights.length` is not `d * outputs`.
     * @see Source: ONNX Softmax on axis 1; ONNX-ML LinearClassifier, post_transform SOFTMAX.
     * @example features.softmax({ weights: [1, 0, -1, 0.5, 0, 2], bias: [0.1, 0.2, 0.3] })
     */
    softmax(this: Flow<'vector'>, options?: LinearOptions): Flow<'vector'>;
  }
}

Flow.prototype.softmax = function (this: Flow<'vector'>, options) {
  const scores = options === undefined ? this.densify() : this.linear(options);
  return this.context.apply<'vector'>(softmax, [scores], { attributes: { keepZeros: false } });
};
