import { sizeOf } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, type Numbers, numbersOf } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `weight`, which multiplies each column by a weight. `Flow.tfIdf` adds it to
 * a program.
 *
 * Types: float32[n], dense or sparse → the same.
 */
export const weight = defineOp({
  name: 'weight',
  version: 1,
  doc: {
    does: 'Multiplies each column by a weight. For term counts and idf weights, the result is tf-idf.',
    types: 'float32[n], dense or sparse → the same',
    parameters: { weights: 'float32[n]' },
    kernels: ['weight'],
  },
  parameters: { weights: ['float32'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  learned: { weights: 'finite' },
  infer(use) {
    const type = ofNumbers('weight', onlyInput('weight', use, 'sparse', 'vector'), 'float32');
    ofLength('weight', 'weights', use, sizeOf(type));
    return type;
  },
  reference,
  contributions,
  identity: (use) => numbersOf(use.parameter('weights')).every((value) => value === 1),
  affine: (use) => ({
    scale: Float64Array.from(numbersOf(use.parameter('weights')), Number),
    offset: new Float64Array(1),
  }),
  missing: passesMissing,
  kernel: () => ({ kernel: 'weight', parameters: ['weights'] }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Multiplies each column by a weight. If the columns are term counts and the weights are idf,
     * the result is tf-idf.
     *
     * Shapes: `[n]` float32 → `[n]`; a sparse row stays sparse. Cost: O(nnz). Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_SIZE unless there is one weight per column.
     * @see Source: scikit-learn TfidfTransformer, without its norm.
     * @example counts.tfIdf({ idf: [1.5, 2.25] }).normalize('l2')
     */
    tfIdf(this: Flow<'vector', Row, unknown>, options: { readonly idf: Numbers }): Flow<'vector', Row>;
  }
}

Flow.prototype.tfIdf = function (this: Flow<'vector'>, { idf }) {
  return this.context.apply<'vector'>(weight, [this], { parameters: { weights: float32(idf) } });
};
