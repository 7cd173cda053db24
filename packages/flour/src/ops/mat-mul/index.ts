import { sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { productNanos } from '../../costs.js';
import { defineOp, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { float64, rowsOf } from '../../numbers.js';
import { reference } from './reference.js';

export const matMul = defineOp({
  name: 'mat-mul',
  version: 1,
  doc: {
    does: 'The row times a matrix, in float64: what models of double precision consist of.',
    types: 'float64[n] → float64[columns]',
    parameters: { weights: 'float64[n, columns], row-major' },
    kernels: ['mat_mul'],
  },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { weights: 'finite' },
  infer(use) {
    const input = ofNumbers('mat-mul', onlyInput('mat-mul', use, 'vector'), 'float64');
    const { weights } = use.parameters;
    const columns = weights?.shape[1] ?? 0;
    if (weights?.dtype !== 'float64' || columns < 1)
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'a float64 matrix',
        received: `${weights?.dtype}`,
        at: 'mat-mul',
      });
    ofLength('mat-mul', 'weights', use, sizeOf(input) * columns);
    return vector('float64', columns);
  },
  reference,
  cost: (use) => 2 * productNanos(use, use.entries.output),
  kernel: () => ({ kernel: 'mat_mul', parameters: ['weights'] }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Multiplies the row by a matrix, in float64. In float32, `linear` and `project` do that.
     *
     * Shapes: dense float64 `[n]`, `weights` `[n, columns]` row-major → float64 `[columns]`. Cost: O(n * columns). Bit-equal on every engine: each
     * sum runs in plain order.
     * @throws ERR_FLOUR_SIZE when `weights` is no multiple of n; ERR_FLOUR_TYPE when the row is not float64.
     * @see Source: ONNX MatMul and Gemm of doubles.
     * @example scores.cast('float64').matMul({ weights: [0.1, 0.2, 0.3, 0.4] })
     */
    matMul(this: Flow<'vector'>, options: { readonly weights: Numbers }): Flow<'vector'>;
  }
}

Flow.prototype.matMul = function (this: Flow<'vector'>, { weights }) {
  const size = sizeOf(this.type);
  const columns = weights.length / size;
  rowsOf('mat-mul', 'weights', weights, size);
  return this.context.apply<'vector'>(matMul, [this], { parameters: { weights: float64(weights, [size, columns]) } });
};
