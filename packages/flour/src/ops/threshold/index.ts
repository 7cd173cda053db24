import { scalar, sizeOf } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { floatBits } from '../../numbers.js';
import '../densify/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `threshold`, which returns 1 for a score above a threshold, otherwise 0.
 * `Flow.threshold` adds it to a program.
 *
 * Types: float32[1] → int64.
 */
export const threshold = defineOp({
  name: 'threshold',
  version: 1,
  doc: {
    does: 'Returns 1 for a score above the threshold, otherwise 0.',
    types: 'float32[1] → int64',
    attributes: { threshold: 'float32' },
    kernels: ['threshold'],
  },
  attributes: { threshold: 'number' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('threshold', onlyInput('threshold', use, 'scalar', 'vector'), 'float32');
    if (sizeOf(type) !== 1)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'one score', received: `${sizeOf(type)}`, at: 'threshold' });
    return scalar('int64');
  },
  reference,
  contributions,
  kernel: ({ attributes }) => ({ kernel: 'threshold', attributes: [floatBits(attributes.threshold as number)] }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns 1 for a score above the threshold, otherwise 0. NaN becomes 0.
     *
     * Shapes: float32 of size 1 → int64. Cost: O(1).
     * @throws ERR_FLOUR_SIZE for several scores.
     * @see Source: ONNX-ML Binarizer over one column; ONNX-ML models with two classes.
     * @example features.logistic({ weights }).threshold(0.5).labels(['negative', 'positive'])
     */
    threshold(this: Flow<'vector' | 'scalar', Row, unknown>, threshold: number): Flow<'scalar', Row>;
  }
}

Flow.prototype.threshold = function (this: Flow<'vector'> | Flow<'scalar'>, limit) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  return this.context.apply<'scalar'>(threshold, [source], { attributes: { threshold: limit } });
};
