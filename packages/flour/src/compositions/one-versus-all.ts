import { sizeOf } from '@brezel/core';
import { flourError } from '../errors.js';
import { Flow } from '../flow.js';
import '../ops/concat/index.js';
import '../ops/normalize/index.js';

declare module '../flow.js' {
  interface Flow<Kind> {
    /**
     * Probabilities of classes from one two-class model each, this flow the first: divided by their sum, unless that is 0.
     *
     * Shapes: `[1]` float32 of each model → `[models]` float32. Cost: O(models). Bit-equal on every engine. `normalize: false` gives the scores as they
     * are, for models without probabilities; `.argMax()` chooses the class either way.
     * @throws ERR_FLOUR_SIZE when a model gives more than one score.
     * @see Source: ML.NET OneVersusAll; scikit-learn OneVsRestClassifier.
     * @example features.logistic({ weights: [1, 0] }).oneVersusAll([features.logistic({ weights: [0, 1] })]).argMax()
     */
    oneVersusAll(
      this: Flow<'vector'>,
      others: readonly Flow<'vector'>[],
      options?: { readonly normalize?: boolean },
    ): Flow<'vector'>;
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
