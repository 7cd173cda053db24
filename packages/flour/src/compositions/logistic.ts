import { Flow } from '../flow.js';
import type { LinearOptions } from '../ops/linear/index.js';
import '../ops/map/index.js';

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Scores sparse or dense features with a linear model and a logistic link.
     *
     * Shapes: features `[d]` float32 → scores `[outputs]` float32, each a probability from 0 to 1.
     * Cost: O(nnz * outputs). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless `weights.length` is `d * outputs`.
     * @see Source: ONNX-ML LinearClassifier, post_transform LOGISTIC; ML.NET binary linear
     * predictors.
     * @example reviews.tokenize().wordNgram({ vocabulary: terms }).logistic({ weights: [1, -1], bias: 0.5 })
     */
    logistic(this: Flow<'vector', Row, unknown>, options: LinearOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.logistic = function (this: Flow<'vector'>, options) {
  return this.linear(options).map('sigmoid');
};
