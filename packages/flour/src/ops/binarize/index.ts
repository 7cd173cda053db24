import { dtypeOf } from '@brezel/core';
import { denseLike, ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32 } from '../../define-op.js';
import { Flow } from '../../flow.js';
import '../densify/index.js';
import { binarizeRows } from '@brezel/tensors';
import { columnByColumn } from '../../contributions.js';

/**
 * Defines the operator `binarize`, which returns 1 for each value above a threshold, otherwise 0.
 * `Flow.binarize` adds it to a program.
 *
 * Types: numbers [n] → the same type.
 */
export const binarize = defineOp({
  name: 'binarize',
  version: 1,
  doc: {
    does: 'Returns 1 for each value above the threshold, otherwise 0.',
    types: 'numbers [n] → the same type',
    parameters: { threshold: 'float32[1]' },
    kernels: ['binarize'],
  },
  parameters: { threshold: ['float32'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  learned: { threshold: 'number' },
  infer(use) {
    const input = onlyInput('binarize', use, 'scalar', 'vector');
    const type = ofNumbers('binarize', input, 'float32', 'float64', 'int64', 'int32');
    ofLength('binarize', 'threshold', use, 1);
    return denseLike(type, dtypeOf(type));
  },
  reference: binarizeRows,
  contributions: columnByColumn,
  kernel: () => ({ kernel: 'binarize', parameters: ['threshold'] }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns 1 for each value above the threshold, otherwise 0. NaN becomes 0; onnxruntime rejects
     * such rows.
     *
     * Shapes: dense float32, float64, int64 or int32 → the same. Compares in float64 with the
     * float32 threshold. Cost: O(n).
     * @see Source: ONNX-ML Binarizer-1; scikit-learn Binarizer.
     * @example counts.binarize(0.5)
     */
    binarize(this: Flow<'vector', Row, unknown>, threshold: number): Flow<'vector', Row>;
    binarize(this: Flow<'scalar', Row, unknown>, threshold: number): Flow<'scalar', Row>;
  }
}

Flow.prototype.binarize = function (this: Flow, threshold: number) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  return this.context.apply(binarize, [source], { parameters: { threshold: float32([threshold]) } }) as never;
};
