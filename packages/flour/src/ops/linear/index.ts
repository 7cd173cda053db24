import { sizeOf, vector } from '@brezel/core';
import { ofKind, ofLength, ofNumbers } from '../../checks.js';
import { ENTRY_NANOS, productNanos } from '../../costs.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { countLinearFor } from '../count-linear/for-linear.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

export { countLinearFor } from '../count-linear/for-linear.js';

/**
 * Defines the operator `linear`, which scores features with a linear model. `Flow.linear` adds it
 * to a program.
 *
 * Its parameters are `weights0`, `weights1`, ... (one per input, feature-major `[size, outputs]`)
 * and `bias`.
 */
export const linear = defineOp({
  name: 'linear',
  version: 1,
  doc: {
    does: 'Multiplies features by weights, and adds the products of all inputs and the bias.',
    types: 'float32[d], dense or sparse, one or more → float32[outputs]',
    parameters: { 'weights#': 'float32[d, outputs], one per input', bias: 'float32[outputs]' },
    kernels: ['linear'],
  },
  parameters: { 'weights#': ['float32'], bias: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'model' },
  learned: { 'weights#': 'finite', bias: 'number' },
  infer(use) {
    const outputs = use.parameters.bias?.shape.reduce((product, size) => product * size, 1) ?? 0;
    if (use.inputs.length === 0 || outputs === 0) {
      throw flourError('ERR_FLOUR_SIZE', {
        expected: 'an input and at least one bias',
        received: `${use.inputs.length} inputs, ${outputs} biases`,
        at: 'linear',
      });
    }
    use.inputs.forEach((input, branch) => {
      ofNumbers('linear', ofKind('linear', input, 'sparse', 'vector'), 'float32');
      ofLength('linear', `weights${branch}`, use, sizeOf(input) * outputs);
    });
    return vector('float32', outputs);
  },
  reference,
  replacement: countLinearFor,
  contributions,
  cost: (use) =>
    use.inputs.reduce(
      (sum, _, branch) => sum + productNanos(use, use.entries.output, branch),
      ENTRY_NANOS * use.entries.output,
    ),
  kernel: ({ inputs }) => ({
    kernel: 'linear',
    parameters: [...inputs.map((_, branch) => `weights${branch}`), 'bias'],
  }),
});

/** Parameters of `Flow.linear`. */
export interface LinearOptions {
  /**
   * The weights, feature-major: the weights of feature 0 for every output, then of feature 1, ...
   * For one output: one weight per feature.
   */
  readonly weights: Numbers;
  /** One bias per output. Default: one output with bias 0. */
  readonly bias?: number | Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Scores features with a linear model: multiplies features by weights, adds the products and
     * the bias.
     *
     * Shapes: features `[d]` float32, sparse or dense → scores `[outputs]` float32. Cost: O(nnz *
     * outputs). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless `weights.length` is `d * outputs`.
     * @see Source: ONNX-ML LinearClassifier and LinearRegressor, without `post_transform`; ML.NET
     * AveragedPerceptron and LinearSvm.
     * @example features.linear({ weights: [0.5, -1], bias: 0.25 })
     */
    linear(this: Flow<'vector', Row, unknown>, options: LinearOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.linear = function (this: Flow<'vector'>, { weights, bias = 0 }) {
  const biases = float32(typeof bias === 'number' ? [bias] : bias);
  const outputs = biases.shape[0]!;
  return this.context.apply<'vector'>(linear, [this], {
    parameters: { weights0: float32(weights, [weights.length / outputs, outputs]), bias: biases },
  });
};
