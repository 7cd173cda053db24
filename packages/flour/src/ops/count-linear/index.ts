import { MOST_INTEGER_WEIGHT, sizeOf, vector } from '@brezel/core';
import { ofKind, ofLength, ofNumbers } from '../../checks.js';
import { ENTRY_NANOS, productNanos } from '../../costs.js';
import { defineOp, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

export { type RoundedWeights, roundWeights } from './round-weights.js';

/**
 * Defines the operator `count-linear`, which scores counts with a linear model whose weights are
 * integers. `FlourContext.apply` uses it instead of `linear` if all inputs are counts of n-grams.
 *
 * Integer sums are exact, so the order of the entries does not matter, and kernels may add the
 * weight of each occurrence without counting first.
 */
export const countLinear = defineOp({
  name: 'count-linear',
  version: 1,
  doc: {
    does: 'Scores counts with integer weights: adds the products of counts and weights over all inputs, without rounding, then multiplies the sum by the scale and adds the bias.',
    types: 'sparse float32[d] of counts, one or more → float32[outputs]',
    attributes: {
      occurrences: 'whether each entry counts as 1, and its value is ignored',
    },
    parameters: {
      'weights#': 'int32[d, outputs], one per input, from -2^30 to 2^30',
      scale: 'float64[1], by which a weight is multiplied',
      bias: 'float32[outputs]',
    },
    kernels: ['count_linear'],
  },
  attributes: { occurrences: 'boolean' },
  parameters: { 'weights#': ['int32'], scale: ['float64'], bias: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'model' },
  learned: { scale: 'finite', bias: 'number' },
  infer(use) {
    const outputs = use.parameters.bias?.shape.reduce((product, size) => product * size, 1) ?? 0;
    if (use.inputs.length === 0 || outputs === 0) {
      const [expected, received] = ['an input and at least one bias', `${use.inputs.length} inputs, ${outputs} biases`];
      throw flourError('ERR_FLOUR_SIZE', { expected, received, at: 'count-linear' });
    }
    ofLength('count-linear', 'scale', use, 1);
    use.inputs.forEach((input, branch) => {
      ofNumbers('count-linear', ofKind('count-linear', input, 'sparse'), 'float32');
      ofLength('count-linear', `weights${branch}`, use, sizeOf(input) * outputs);
    });
    return vector('float32', outputs);
  },
  check({ parameters }) {
    for (const [name, value] of Object.entries(parameters)) {
      if (!name.startsWith('weights')) continue;
      const weights = numbersOf(value) as Int32Array;
      const at = weights.findIndex((weight) => Math.abs(weight) > MOST_INTEGER_WEIGHT);
      if (at < 0) continue;
      const expected = 'weights from -2^30 to 2^30';
      throw flourError('ERR_FLOUR_PARAM', { expected, received: `${weights[at]}`, at: `count-linear, ${name}[${at}]` });
    }
  },
  reference,
  contributions,
  cost: (use) =>
    use.inputs.reduce(
      (sum, _, branch) => sum + productNanos(use, use.entries.output, branch),
      ENTRY_NANOS * use.entries.output,
    ),
  summary: ({ attributes: { occurrences } }) => `integer weights${occurrences === true ? ', each occurrence' : ''}`,
  kernel: ({ inputs, attributes: { occurrences } }) => ({
    kernel: 'count_linear',
    parameters: [...inputs.map((_, branch) => `weights${branch}`), 'scale', 'bias'],
    attributes: [occurrences === true ? 1 : 0],
  }),
});
