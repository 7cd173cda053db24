import { flourError } from '../errors.js';
import { Flow } from '../flow.js';
import '../ops/dense/index.js';
import type { DenseOptions } from '../ops/dense/index.js';

/** Layers of `Flow.mlp`. */
export interface MlpOptions {
  /**
   * The layers, from the features to the answer. Hidden layers usually have an activation. The last
   * layer has `sigmoid`, `softmax` or none.
   */
  readonly layers: readonly DenseOptions[];
}

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Runs a multi-layer perceptron: dense layers in sequence.
     *
     * Shapes: features `[d]` float32, sparse or dense → `[outputs of the last layer]` float32.
     * Cost: O(sum of inputs * outputs of the layers). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an empty list of layers; ERR_FLOUR_SIZE for a layer that does not
     * match the layer before it.
     * @see Source: scikit-learn MLPClassifier, MLPRegressor (`coefs_`, `intercepts_`).
     * @example features.mlp({ layers: [{ weights: [1, -1, 0.5, 2], bias: [0, 0], activation: 'relu' }, { weights: [1, 1], bias: [0], activation: 'sigmoid' }] })
     */
    mlp(this: Flow<'vector', Row, unknown>, options: MlpOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.mlp = function (this: Flow<'vector'>, { layers }) {
  if (layers.length === 0)
    throw flourError('ERR_FLOUR_PARAM', { expected: 'at least one layer', received: 'none', at: 'mlp' });
  return layers.reduce<Flow<'vector'>>((flow, layer) => flow.dense(layer), this);
};
