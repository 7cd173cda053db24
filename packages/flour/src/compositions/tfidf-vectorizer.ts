import type { Numbers } from '../define-op.js';
import { Flow } from '../flow.js';
import type { CountVectorizerOptions } from './count-vectorizer/index.js';
import './count-vectorizer/index.js';
import '../ops/normalize/index.js';
import '../ops/sublinear-tf/index.js';
import '../ops/weight/index.js';

/** Vocabulary, weights and options of `Flow.tfidfVectorizer`. */
export interface TfidfVectorizerOptions extends CountVectorizerOptions {
  /**
   * The weight of each term (`idf_` of a fitted vectorizer). If missing, terms are not weighted
   * (`use_idf=False`).
   */
  readonly idf?: Numbers;
  /** The norm by which each row is divided. With null, rows are not divided. Default `l2`. */
  readonly norm?: 'l1' | 'l2' | null;
  /** If true, replaces each count by 1 + log(count). Default false. */
  readonly sublinearTf?: boolean;
}

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Weighs the terms of a vocabulary in a text, as scikit-learn's TfidfVectorizer does: runs
     * `countVectorizer`, then applies `sublinearTf`, `idf` and `norm` to the counts, in this order.
     *
     * Shapes: text → sparse float32 `[terms]`. Cost: O(bytes * n). Bit-equal on every engine. Equal
     * to scikit-learn up to float32 rounding.
     * @throws ERR_FLOUR_SIZE unless there is one idf per term. The errors of `countVectorizer`
     * apply too.
     * @see Source: scikit-learn TfidfVectorizer.transform with a fitted vocabulary and idf.
     * @example text.tfidfVectorizer({ vocabulary: ['good', 'bad'], idf: [1.5, 2.25], sublinearTf: true })
     */
    tfidfVectorizer(this: Flow<'text', Row, unknown>, options: TfidfVectorizerOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.tfidfVectorizer = function (this: Flow<'text'>, options) {
  const { idf, norm = 'l2', sublinearTf = false, ...counting } = options;
  const counts = this.countVectorizer(counting);
  const dampened = sublinearTf ? counts.sublinearTf() : counts;
  const weighted = idf === undefined ? dampened : dampened.tfIdf({ idf });
  return norm === null ? weighted : weighted.normalize(norm);
};
