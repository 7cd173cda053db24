import { sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { shown } from '../../custom/row-values.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../densify/index.js';
import { kernels, reference, type SupportKernel } from './reference.js';

const EXPONENTIAL_NANOS = 20;

/**
 * Defines the operator `svm-kernel`, which computes the kernel function of the row and each support
 * vector. `Flow.svmKernel` adds it to a program.
 *
 * Types: float32[d] → float32[support vectors].
 */
export const svmKernel = defineOp({
  name: 'svm-kernel',
  version: 1,
  doc: {
    does: 'Computes the kernel function of the row and each support vector.',
    types: 'float32[d] → float32[support vectors]',
    attributes: { kernel: 'linear, poly, rbf or sigmoid' },
    parameters: { supportVectors: 'float32[support vectors, d]', constants: 'float32[3]: gamma, coef0, degree' },
    kernels: ['svm_kernel'],
  },
  attributes: { kernel: 'infer' },
  parameters: { supportVectors: ['float32'], constants: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { supportVectors: 'finite', constants: 'finite' },
  infer(use) {
    const features = sizeOf(ofNumbers('svm-kernel', onlyInput('svm-kernel', use, 'vector'), 'float32'));
    const count = use.parameters.supportVectors?.shape[0] ?? 0;
    if (count === 0)
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'at least one support vector',
        received: 'none',
        at: 'svm-kernel',
      });
    ofLength('svm-kernel', 'supportVectors', use, count * features);
    ofLength('svm-kernel', 'constants', use, 3);
    if (!kernels.includes(use.attributes.kernel as SupportKernel))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: kernels.join(', '),
        received: shown(use.attributes.kernel),
        at: 'svm-kernel',
      });
    return vector('float32', count);
  },
  reference,
  /**
   * Estimates nanoseconds per row: a multiplication per support vector and feature, and for some
   * kernel functions an exponential per support vector.
   */
  cost: ({ attributes, entries: { inputs, output } }) =>
    output * (inputs[0]! + (attributes.kernel === 'linear' ? 0 : EXPONENTIAL_NANOS)),
  kernel: ({ attributes }) => ({
    kernel: 'svm_kernel',
    parameters: ['supportVectors', 'constants'],
    attributes: [kernels.indexOf(attributes.kernel as SupportKernel)],
  }),
});

export type { SupportKernel } from './reference.js';

/** Support vectors and options of `Flow.svmKernel`. */
export interface SvmKernelOptions {
  /** The kernel function of the support vector machine. */
  readonly kernel: SupportKernel;
  /** The support vectors, one after another: `d` numbers for each. */
  readonly supportVectors: Numbers;
  /** The factor of the product `x.v`, or of the squared distance with `rbf`. Default 1. */
  readonly gamma?: number;
  /** The constant that `poly` and `sigmoid` add. Default 0. */
  readonly coef0?: number;
  /** The exponent of `poly`. Default 3. */
  readonly degree?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Computes the kernel function of the row x and each support vector v: `x.v` (linear), `(gamma
     * * x.v + coef0)^degree` (poly), `e^(-gamma |x - v|^2)` (rbf) or `tanh(gamma * x.v + coef0)`
     * (sigmoid). To get a support vector regressor, append `.linear`.
     *
     * Shapes: dense float32 `[d]` → `[support vectors]` float32. Cost: O(support vectors * d).
     * Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an empty list of support vectors or an unknown kernel;
     * ERR_FLOUR_SIZE unless each support vector has `d` numbers.
     * @see Source: ONNX-ML SVMRegressor-1 and SVMClassifier-1; libsvm.
     * @example features.svmKernel({ kernel: 'rbf', gamma: 0.5, supportVectors: [0, 1, 1, 0] }).linear({ weights: [1, -1], bias: 0.25 })
     */
    svmKernel(this: Flow<'vector', Row, unknown>, options: SvmKernelOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.svmKernel = function (this: Flow<'vector'>, options) {
  const { kernel, supportVectors, gamma = 1, coef0 = 0, degree = 3 } = options;
  const features = sizeOf(this.type);
  const count = supportVectors.length / features;
  if (!Number.isInteger(count))
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `support vectors of ${features} numbers`,
      received: `${supportVectors.length} numbers`,
      at: 'svm-kernel',
    });
  return this.context.apply<'vector'>(svmKernel, [this.densify()], {
    attributes: { kernel },
    parameters: {
      supportVectors: float32(supportVectors, [count, features]),
      constants: float32([gamma, coef0, degree]),
    },
  });
};
