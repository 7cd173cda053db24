import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import '../densify/index.js';
import { reference } from './reference.js';

/**
 * Defines the operator `probit`, which computes the quantile of the standard normal distribution
 * for a probability. It uses the same approximation as onnxruntime. `Flow.probit` adds it to a
 * program.
 *
 * Types: float32[n] → float32[n].
 */
export const probit = defineOp({
  name: 'probit',
  version: 1,
  doc: {
    does: 'Computes the quantile of the standard normal distribution, with the same approximation as onnxruntime.',
    types: 'float32[n] → float32[n]',
    kernels: ['probit'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => denseLike(ofNumbers('probit', onlyInput('probit', use, 'scalar', 'vector'), 'float32'), 'float32'),
  reference,
  kernel: () => ({ kernel: 'probit' }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Computes the quantile of the standard normal distribution for each probability. It uses
     * Winitzki's approximation, which has two correct digits, as onnxruntime does for PROBIT.
     *
     * Shapes: dense float32, any size → the same. A probability outside (0, 1) gives NaN or an
     * infinity. Cost: O(n). Computed in float64, rounded once.
     * @see Source: ONNX-ML post_transform PROBIT; S. Winitzki, A handy approximation for the error
     * function and its inverse (2008).
     * @example features.logistic({ weights }).probit()
     */
    probit(this: Flow<'vector', Row, unknown>): Flow<'vector', Row>;
  }
}

Flow.prototype.probit = function (this: Flow<'vector'>) {
  return this.context.apply<'vector'>(probit, [this.densify()]);
};
