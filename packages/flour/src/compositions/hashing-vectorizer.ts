import { Flow } from '../flow.js';
import { type AnalyzerOptions, analyze } from './count-vectorizer/analyzer.js';
import '../ops/hash-ngram/index.js';
import '../ops/normalize/index.js';

/** Options of `Flow.hashingVectorizer`. */
export interface HashingVectorizerOptions extends AnalyzerOptions {
  /** Number of columns, 1 to 2^24. Default 2^20. */
  readonly nFeatures?: number;
  /** The norm by which each row is divided. With null, rows are not divided. Default `l2`. */
  readonly norm?: 'l1' | 'l2' | null;
  /**
   * If true (default), a term with a negative hash counts -1 instead of 1, so that collisions
   * cancel on average.
   */
  readonly alternateSign?: boolean;
}

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Counts the terms of a text without a vocabulary, as scikit-learn's HashingVectorizer does.
     * The MurmurHash3 of a term determines its column. The options are those of scikit-learn in
     * camel case, with the same defaults.
     *
     * Shapes: text → sparse float32 `[nFeatures]`. Cost: O(bytes * n), without building strings.
     * Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for a token pattern that is not a repeated character class;
     * ERR_FLOUR_SIZE beyond 2^24 columns.
     * @see Source: scikit-learn HashingVectorizer.transform.
     * @example text.hashingVectorizer({ nFeatures: 1024, ngramRange: [1, 2] })
     */
    hashingVectorizer(this: Flow<'text', Row, unknown>, options?: HashingVectorizerOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.hashingVectorizer = function (this: Flow<'text'>, options = {}) {
  const { nFeatures = 2 ** 20, norm = 'l2', alternateSign = true } = options;
  const { analyzer, text, tokens, minN, maxN, binary } = analyze(this, options);
  const hashing = { columns: nFeatures, minN, maxN, binary, alternateSign };
  const counts = tokens?.hashNgram(hashing) ?? text.hashCharNgram({ ...hashing, padded: analyzer === 'char_wb' });
  return norm === null ? counts : counts.normalize(norm);
};
