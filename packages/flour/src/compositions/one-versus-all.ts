import { sizeOf } from '@brezel/core';
import { flourError } from '../errors.js';
import { Flow } from '../flow.js';
import '../ops/concat/index.js';
import '../ops/normalize/index.js';
import type { JoinedFields } from '../program-types.js';

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Combines one two-class model per class, starting with this flow, into class probabilities.
     * Each score is divided by the sum of all scores, unless that sum is 0.
     *
     * Shapes: `[1]` float32 per model → `[models]` float32. Cost: O(models). Bit-equal on every
     * engine. `normalize: false` returns the scores unchanged, for models without probabilities.
     * `.argMax()` chooses the class in both cases.
     * @throws ERR_FLOUR_SIZE for a model with more than one score.
     * @see Source: ML.NET OneVersusAll; scikit-learn OneVsRestClassifier.
     * @example features.logistic({ weights: [1, 0] }).oneVersusAll([features.logistic({ weights: [0, 1] })]).argMax()
     */
    oneVersusAll<Others extends readonly Flow<'vector', unknown, unknown>[]>(
      this: Flow<'vector', Row, unknown>,
      others: Others,
      options?: { readonly normalize?: boolean },
    ): Flow<'vector', Row & JoinedFields<Others[number]>>;
  }
}

Flow.prototype.oneVersusAll = function (this: Flow<'vector'>, others, { normalize = true } = {}) {
  const wide = [this, ...others].find((model) => sizeOf(model.type) !== 1);
  if (wide !== undefined) {
    throw flourError('ERR_FLOUR_SIZE', {
      expected: 'one score a model',
      received: `${sizeOf(wide.type)}`,
      at: 'one-versus-all',
    });
  }
  const scores = this.concat(...others);
  return normalize ? scores.normalize('l1') : scores;
};
