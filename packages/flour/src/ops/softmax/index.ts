import { printType, sizeOf } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { FUNCTION_NANOS } from '../../costs.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import type { LinearOptions } from '../linear/index.js';
import { contributions } from './contributions.js';
import { reference, softmaxForms } from './reference.js';

/**
 * Defines the operator `softmax`, which converts scores to probabilities that add up to 1, or to
 * their logarithms. `Flow.softmax` adds it to a program.
 *
 * Types: float32[n] or float64[n] → the same.
 */
export const softmax = defineOp({
  name: 'softmax',
  version: 1,
  doc: {
    does: 'Converts scores to probabilities that add up to 1, or to their logarithms.',
    types: 'float32[n] or float64[n] → the same',
    attributes: {
      keepZeros: 'whether scores of 0 stay 0 (SOFTMAX_ZERO)',
      logarithm: 'whether to return logarithms',
      parts: 'number of equal parts of the row, a divisor of n. Default: 1',
    },
    kernels: ['softmax'],
  },
  attributes: { keepZeros: 'boolean', logarithm: 'boolean', parts: 'infer' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('softmax', onlyInput('softmax', use, 'vector'), 'float32', 'float64');
    const { keepZeros, logarithm, parts = 1 } = use.attributes;
    if (keepZeros === true && logarithm === true)
      throw flourError('ERR_FLOUR_PARAM', { received: 'keepZeros and logarithm', at: 'softmax' });
    integerIn('softmax', 'parts', parts as number, 1, Math.max(1, sizeOf(type)));
    if (sizeOf(type) % (parts as number) === 0) return type;
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `a multiple of ${parts} columns`,
      received: printType(type),
      at: 'softmax',
    });
  },
  reference,
  contributions,
  cost: ({ entries }) => entries.output * FUNCTION_NANOS,
  kernel: ({ attributes: { keepZeros, logarithm, parts } }) => ({
    kernel: 'softmax',
    attributes: [
      softmaxForms.indexOf(keepZeros ? 'keepZeros' : logarithm ? 'logarithm' : 'plain'),
      ...(parts === undefined ? [] : [parts as number]),
    ],
  }),
});

/** Options of `Flow.softmax`. */
export interface SoftmaxOptions {
  /**
   * If true, returns the logarithms of the probabilities: x - max - log(sum of e^(x - max)).
   * Default false.
   */
  readonly logarithm?: boolean;
  /**
   * Divides the row into this many parts of the same length. The probabilities of each part add up
   * to 1. Default 1.
   */
  readonly parts?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts scores to probabilities that add up to 1. If the options contain `weights`, the row
     * holds features, and a linear model computes the scores first. With `logarithm`, the result is
     * the logarithms of the probabilities. With `parts`, each part of the row is converted
     * separately.
     *
     * Shapes: scores `[n]` → `[n]`, or features `[d]` → `[outputs]`; float32. Scores may also be
     * float64. Cost: O(n) + O(nnz * outputs). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless `weights.length` is `d * outputs`, and the number of scores is
     * a multiple of `parts`.
     * @see Source: ONNX Softmax and LogSoftmax; ONNX-ML LinearClassifier, post_transform SOFTMAX.
     * @example features.softmax({ weights: [1, 0, -1, 0.5, 0, 2], bias: [0.1, 0.2, 0.3] })
     */
    softmax(this: Flow<'vector', Row, unknown>, options?: LinearOptions | SoftmaxOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.softmax = function (this: Flow<'vector'>, options = {}) {
  const scores = 'weights' in options ? this.linear(options) : this.densify();
  const { logarithm, parts }: SoftmaxOptions = 'weights' in options ? {} : options;
  return this.context.apply<'vector'>(softmax, [scores], {
    attributes: { keepZeros: false, ...(logarithm && { logarithm }), ...(parts !== undefined && { parts }) },
  });
};
