import { dtypeOf, sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { productNanos } from '../../costs.js';
import { defineOp, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { rowsOf } from '../../numbers.js';
import { constantLike } from '../arithmetic/operands.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `mat-mul`, which multiplies the row by a matrix, in float64 or in integers
 * that wrap around. `Flow.matMul` adds it to a program.
 *
 * Types: float64[n], int64[n] or int32[n] → [columns] of that type.
 */
export const matMul = defineOp({
  name: 'mat-mul',
  version: 1,
  doc: {
    does: 'Multiplies the row by a matrix. Integers wrap around.',
    types: 'float64[n], int64[n] or int32[n] → [columns] of that type',
    parameters: { weights: 'float64, int64 or int32 [n, columns], as the input, row-major' },
    kernels: ['mat_mul'],
  },
  parameters: { weights: ['float64', 'int64', 'int32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model', wide: true },
  learned: { weights: 'finite' },
  infer(use) {
    const input = ofNumbers('mat-mul', onlyInput('mat-mul', use, 'vector'), 'float64', 'int64', 'int32');
    const { weights } = use.parameters;
    const columns = weights?.shape[1] ?? 0;
    const dtype = dtypeOf(input);
    if (weights?.dtype !== dtype || columns < 1)
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `a matrix of ${dtype}`,
        received: `${weights?.dtype}`,
        at: 'mat-mul',
      });
    ofLength('mat-mul', 'weights', use, sizeOf(input) * columns);
    return vector(dtype, columns);
  },
  reference,
  contributions,
  cost: (use) => 2 * productNanos(use, use.entries.output),
  kernel: () => ({ kernel: 'mat_mul', parameters: ['weights'] }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Multiplies the row by a matrix of float64, int64 or int32 numbers. Integers wrap around. For
     * float32, use `linear` or `project`.
     *
     * Shapes: dense float64, int64 or int32 `[n]`, `weights` `[n, columns]` row-major → `[columns]`
     * of that type. Cost: O(n * columns). Bit-equal on every engine: each sum runs in plain order.
     * @throws ERR_FLOUR_SIZE unless the size of `weights` is a multiple of n; ERR_FLOUR_TYPE for a
     * row of another type.
     * @see Source: ONNX MatMul and Gemm of doubles and integers.
     * @example scores.cast('float64').matMul({ weights: [0.1, 0.2, 0.3, 0.4] })
     */
    matMul(this: Flow<'vector', Row, Value>, options: { readonly weights: Numbers }): Flow<'vector', Row, Value>;
  }
}

Flow.prototype.matMul = function (this: Flow<'vector'>, { weights }) {
  const size = sizeOf(this.type);
  const columns = weights.length / size;
  rowsOf('mat-mul', 'weights', weights, size);
  const matrix = { ...constantLike(this, weights), shape: [size, columns] };
  return this.context.apply<'vector'>(matMul, [this], { parameters: { weights: matrix } });
};
