import { sizeOf } from '@brezel/core';
import { Flow } from '../flow.js';
import '../ops/arg-max/index.js';
import type { LabelKind, Labels, LabelValue } from '../ops/lookup/index.js';
import '../ops/threshold/index.js';

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the label of a prediction: the label of the greatest score. With one probability and
     * two labels, returns the second label for a probability above 0.5.
     *
     * Shapes: scores `[n]` float32 → label. Cost: O(n).
     * @throws ERR_FLOUR_PARAM unless the labels are all strings or all integers.
     * @see Source: ONNX-ML LinearClassifier, first output.
     * @example features.logistic({ weights }).classify(['negative', 'positive'])
     */
    classify<const List extends Labels>(
      this: Flow<'vector', Row, unknown>,
      labels: List,
    ): Flow<LabelKind<List>, Row, LabelValue<List>>;
  }
}

Flow.prototype.classify = function (this: Flow<'vector'>, labels) {
  const index = sizeOf(this.type) === 1 ? this.threshold(0.5) : this.argMax();
  return index.labels(labels);
};
