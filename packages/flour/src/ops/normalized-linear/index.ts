import { sizeOf, vector } from '@brezel/core';
import { type Norm, norms } from '@brezel/tensors';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { placeOf } from '../../numbers.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `normalized-linear`, which normalizes a row and scores it with a linear
 * model. Only the rule `fold-normalize-into-linear` of Oven adds it.
 */
export const normalizedLinear = defineOp({
  name: 'normalized-linear',
  version: 1,
  doc: {
    does: 'Multiplies the features by the weights, divides the sum by the norm of the features, and adds the bias. If the norm is 0, it does not divide.',
    types: 'float32[d], dense or sparse → float32[outputs]',
    attributes: { norm: 'l1, l2 or max' },
    parameters: { weights: 'float32[d, outputs]', bias: 'float32[outputs]' },
    kernels: ['normalized_linear'],
  },
  attributes: { norm: 'infer' },
  parameters: { weights: ['float32'], bias: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'model' },
  learned: { weights: 'finite', bias: 'number' },
  infer(use) {
    placeOf('normalized-linear', 'norm', use.attributes.norm, norms);
    const type = ofNumbers('normalized-linear', onlyInput('normalized-linear', use, 'sparse', 'vector'), 'float32');
    const outputs = use.parameters.bias?.shape.reduce((product, size) => product * size, 1) ?? 0;
    if (outputs === 0) {
      const [expected, received] = ['at least one bias', 'none'];
      throw flourError('ERR_FLOUR_SIZE', { expected, received, at: 'normalized-linear' });
    }
    ofLength('normalized-linear', 'weights', use, sizeOf(type) * outputs);
    return vector('float32', outputs);
  },
  reference,
  contributions,
  summary: ({ attributes: { norm } }) => `by the ${norm} norm`,
  kernel: ({ attributes }) => ({
    kernel: 'normalized_linear',
    parameters: ['weights', 'bias'],
    attributes: [norms.indexOf(attributes.norm as Norm)],
  }),
});
