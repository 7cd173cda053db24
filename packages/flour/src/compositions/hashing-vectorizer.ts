import { Flow } from '../flow.js';
import { type AnalyzerOptions, analyze } from './count-vectorizer/analyzer.js';
import '../ops/hash-ngram/index.js';
import '../ops/normalize/index.js';

export interface HashingVectorizerOptions extends AnalyzerOptions {
  /** Columns, 1 to 2^24. Default 2^20. */
  readonly nFeatures?: number;
  /** Default `l2`. */
  readonly norm?: 'l1' | 'l2' | null;
  /** Terms with a negative hash count down, so that collisions cancel on average. Default true. */
  readonly alternateSign?: boolean;
}

declare module '../flow.js' {
  interface Flow<Kind> {
    /**
     * Counts the terms of a text without a vocabulary as scikit-learn's HashingVectorizer does: each term's MurmurHash3 is its column.
     *
     * Parameters have scikit-learn's names in camel case, and its defaults.
     * Shapes: text → sparse float32 `[nFeatures]`. Cost: O(bytes * n), no strings are made. Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM when the token pattern is another than a repeated class; ERR_FLOUR_SIZE beyond 2^24 columns.
     * @see Source: scikit-learn HashingVectorizer.transform.
     * @example text.hashingVectorizer({ nFeatures: 1024, ngramRange: [1, 2] })
     */
    hashingVectorizer(this: Flow<'text'>, options?: HashingVectorizerOptions): Flow<'vector'>;
  }
}

Flow.prototype.hashingVectorizer = function (this: Flow<'text'>, options = {}) {
  const { nFeatures = 2 ** 20, norm = 'l2', alternateSign = true } = options;
  const { analyzer, text, tokens, minN, maxN, binary } = analyze(this, options);
  const hashing = { columns: nFeatures, minN, maxN, binary, alternateSign };
  const counts = tokens?.hashNgram(hashing) ?? text.hashCharNgram({ ...hashing, padded: analyzer === 'char_wb' });
  return norm === null ? counts : counts.normalize(norm);
};
