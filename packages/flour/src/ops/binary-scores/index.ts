import { sizeOf, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { contributions } from './contributions.js';
import { type BinaryMode, modes, reference } from './reference.js';

const names = Object.keys(modes);

/**
 * Defines the operator `binary-scores`, which computes the scores of both classes from the only
 * score of a two-class model. Importers add it, because ONNX-ML classifiers may compute one score
 * for two classes.
 */
export const binaryScores = defineOp({
  name: 'binary-scores',
  version: 1,
  doc: {
    does: 'Computes the scores of both classes from the only score of a two-class model.',
    types: 'float32[1] → float32[2]',
    attributes: {
      mode: 'the formula for a score s: complement [1 - s, s], logistic [σ(-s), σ(s)] or opposite [-s, s]',
    },
    kernels: ['binary_scores'],
  },
  attributes: { mode: ['complement', 'logistic', 'opposite'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('binary-scores', onlyInput('binary-scores', use, 'vector'), 'float32');
    if (sizeOf(type) !== 1)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'one score', received: `${sizeOf(type)}`, at: 'binary-scores' });
    return vector('float32', 2);
  },
  reference,
  contributions,
  kernel: ({ attributes }) => ({ kernel: 'binary_scores', attributes: [names.indexOf(attributes.mode as BinaryMode)] }),
});
