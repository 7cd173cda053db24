import { sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { ENTRY_NANOS, FUNCTION_NANOS, productNanos } from '../../costs.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { ofCount, placeOf, rowsOf } from '../../numbers.js';
import '../softmax/index.js';
import { activations, reference } from './reference.js';

const names = Object.keys(activations);

/**
 * Defines the operator `dense`, which computes one layer of a neural network. `Flow.dense` adds it
 * to a program.
 *
 * Its parameters are `weights` (feature-major `[features, outputs]`) and `bias` (`[outputs]`).
 */
export const denseLayer = defineOp({
  name: 'dense',
  version: 1,
  doc: {
    does: 'Computes one layer of a neural network: multiplies the features by the weights, adds the bias, and applies an activation function.',
    types: 'float32[d], dense or sparse → float32[outputs]',
    attributes: { activation: 'none, relu, sigmoid or tanh' },
    parameters: { weights: 'float32[d, outputs]', bias: 'float32[outputs]' },
    kernels: ['dense'],
  },
  attributes: { activation: 'infer' },
  parameters: { weights: ['float32'], bias: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { weights: 'finite', bias: 'number' },
  infer(use) {
    const input = ofNumbers('dense', onlyInput('dense', use, 'sparse', 'vector'), 'float32');
    placeOf('dense', 'activation', use.attributes.activation, names);
    const outputs = use.parameters.bias!.shape[0]!;
    ofLength('dense', 'weights', use, sizeOf(input) * outputs);
    return vector('float32', outputs);
  },
  reference,
  cost(use) {
    const outputs = use.entries.output;
    const isFunction = use.attributes.activation === 'tanh' || use.attributes.activation === 'sigmoid';
    return productNanos(use, outputs) + outputs * (isFunction ? FUNCTION_NANOS : ENTRY_NANOS);
  },
  kernel: ({ attributes }) => ({
    kernel: 'dense',
    parameters: ['weights', 'bias'],
    attributes: [names.indexOf(attributes.activation as string)],
  }),
});

/** The name of an activation function of a neural network layer. */
export type Activation = keyof typeof activations | 'softmax';

/** The weights, the bias and the activation of one layer of a neural network. */
export interface DenseOptions {
  /**
   * The weights, feature-major: the weights of feature 0 for every output, then of feature 1, ...
   * (`coefs_[layer].ravel()`).
   */
  readonly weights: Numbers;
  /** One bias per output. */
  readonly bias: Numbers;
  /**
   * The function that is applied to every output. Default `none`. `sigmoid` is scikit-learn's
   * `logistic`.
   */
  readonly activation?: Activation;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Computes one layer of a neural network: multiplies the features by the weights, adds the
     * bias, and applies an activation function.
     *
     * Shapes: features `[d]` float32, sparse or dense → `[outputs]` float32. Cost: O(nnz *
     * outputs); less in blocks of rows, because each weight is read once for several rows.
     * Bit-equal on every engine: sums have the same order as in `linear`.
     * @throws ERR_FLOUR_SIZE unless `weights.length` is `d * bias.length`.
     * @throws ERR_FLOUR_PARAM for an unknown activation.
     * @see Source: ONNX Gemm (MatMul, Add) and Relu, Tanh, Sigmoid, Softmax; a layer of
     * scikit-learn's MLPClassifier and MLPRegressor.
     * @example features.dense({ weights: [0.5, -1, 2, 0.25], bias: [0, 1], activation: 'relu' })
     */
    dense(this: Flow<'vector', Row, unknown>, options: DenseOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.dense = function (this: Flow<'vector'>, { weights, bias, activation = 'none' }) {
  const outputs = bias.length;
  const features = rowsOf('dense', 'weights', weights, outputs);
  ofCount('dense', 'weights', weights, sizeOf(this.type) * outputs);
  const layer = this.context.apply<'vector'>(denseLayer, [this], {
    attributes: { activation: activation === 'softmax' ? 'none' : activation },
    parameters: { weights: float32(weights, [features, outputs]), bias: float32(bias) },
  });
  return activation === 'softmax' ? layer.softmax() : layer;
};
