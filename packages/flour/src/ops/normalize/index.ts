import { type Norm, normalizeRows, norms } from '@brezel/tensors';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import { contributions } from './contributions.js';

export { norms } from '@brezel/tensors';

/**
 * Defines the operator `normalize`, which divides each row by its norm. `Flow.normalize` adds it to
 * a program.
 *
 * Types: float32[n], dense or sparse → the same.
 */
export const normalize = defineOp({
  name: 'normalize',
  version: 1,
  doc: {
    does: 'Divides each row by its norm.',
    types: 'float32[n], dense or sparse → the same',
    attributes: { norm: 'l1, l2 or max' },
    kernels: ['normalize'],
  },
  attributes: { norm: 'infer' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', breaker: true },
  infer(use) {
    placeOf('normalize', 'norm', use.attributes.norm, norms);
    return ofNumbers('normalize', onlyInput('normalize', use, 'sparse', 'vector'), 'float32');
  },
  reference: normalizeRows,
  contributions,
  kernel: ({ attributes }) => ({ kernel: 'normalize', attributes: [norms.indexOf(attributes.norm as Norm)] }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Divides each row by its norm: the sum of absolute values, the Euclidean length, or the
     * greatest value (not the greatest absolute value). A row of zeros stays unchanged.
     *
     * Shapes: `[n]` float32 → `[n]`; a sparse row stays sparse. Cost: O(nnz). Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_PARAM for an unknown norm.
     * @see Source: ONNX-ML Normalizer-1; scikit-learn Normalizer.
     * @example counts.normalize('l2')
     */
    normalize(this: Flow<'vector', Row, unknown>, norm: Norm): Flow<'vector', Row>;
  }
}

Flow.prototype.normalize = function (this: Flow<'vector'>, norm) {
  return this.context.apply<'vector'>(normalize, [this], { attributes: { norm } });
};
