import { printType, sizeOf, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `mirror`, which returns the two scores [-s, s] for a score s. Only the rule
 * `fold-mirrored-classes` of Oven adds it.
 */
export const mirror = defineOp({
  name: 'mirror',
  version: 1,
  doc: {
    does: 'Computes the scores of both classes from the score s of a two-class model: 0 - s and s.',
    types: 'float32[1] → float32[2]',
    kernels: ['mirror'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('mirror', onlyInput('mirror', use, 'vector'), 'float32');
    if (sizeOf(type) !== 1)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'one score', received: printType(type), at: 'mirror' });
    return vector('float32', 2);
  },
  reference,
  contributions,
  kernel: () => ({ kernel: 'mirror' }),
});
