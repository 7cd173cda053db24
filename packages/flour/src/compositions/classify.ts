import { sizeOf } from '@brezel/core';
import { Flow } from '../flow.js';
import '../ops/arg-max/index.js';
import type { Labels } from '../ops/lookup/index.js';
import '../ops/threshold/index.js';

declare module '../flow.js' {
  interface Flow<Kind> {
    /**
     * The label of a prediction: that of the greatest score, or, with one probability and two labels, the second label above one half.
     *
     * Shapes: scores `[n]` float32 → label. Cost: O(n).
     * @throws ERR_FLOUR_PARAM when the labels are neither all strings nor all integers.
     * @see Source: ONNX-ML LinearClassifier, its first output.
     * @example features.logistic({ weights }).classify(['negative', 'positive'])
     */
    classify(this: Flow<'vector'>, labels: Labels): Flow<'text' | 'scalar'>;
  }
}

Flow.prototype.classify = function (this: Flow<'vector'>, labels) {
  const index = sizeOf(this.type) === 1 ? this.threshold(0.5) : this.argMax();
  return index.labels(labels);
};
