import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../../ops/ngram/index.js';
import { type Vocabulary, vocabulary } from '../../ops/ngram/vocabulary.js';
import { type AnalyzerOptions, analyze, termTokens } from './analyzer.js';

export type { AnalyzerOptions } from './analyzer.js';

/** Terms in column order, or the column of each term (`vocabulary_` of a fitted vectorizer). */
export type Terms = readonly string[] | Readonly<Record<string, number>> | ReadonlyMap<string, number>;

/** Vocabulary and options of `Flow.countVectorizer`. */
export interface CountVectorizerOptions extends AnalyzerOptions {
  /** The terms to count. An n-gram of words has one space between its words. */
  readonly vocabulary: Terms;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Counts the terms of a vocabulary in a text, as scikit-learn's CountVectorizer does. The
     * options are those of scikit-learn in camel case, with the same defaults.
     *
     * Shapes: text → sparse float32 `[terms]`. Cost: O(bytes * n). Bit-equal on every engine.
     * Unicode words, accents, `char_wb` and stop words work as in scikit-learn; models exported to
     * ONNX lose some of them.
     * @throws ERR_FLOUR_PARAM for a repeated term, for columns other than 0 to n - 1, or for a
     * token pattern that is not a repeated character class.
     * @see Source: scikit-learn CountVectorizer.transform with a fitted vocabulary.
     * @example text.countVectorizer({ vocabulary: ['good', 'not good'], ngramRange: [1, 2], stopWords: ['the'] })
     */
    countVectorizer(this: Flow<'text', Row, unknown>, options: CountVectorizerOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.countVectorizer = function (this: Flow<'text'>, options) {
  const terms = termsOf(options.vocabulary);
  const { analyzer, text, tokens, minN, maxN, binary } = analyze(this, options);
  const words: Vocabulary = vocabulary(terms.map((term) => termTokens(term, analyzer)));
  const counting = { vocabulary: words, minN, maxN, binary };
  return tokens?.wordNgram(counting) ?? text.charNgram({ ...counting, padded: analyzer === 'char_wb' });
};

function distinct(terms: readonly string[]): readonly string[] {
  const known = new Set<string>();
  for (const term of terms) {
    if (known.has(term))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'distinct terms',
        received: `${JSON.stringify(term)} twice`,
        at: 'vocabulary',
      });
    known.add(term);
  }
  return terms;
}

/** Returns the terms in column order. */
function termsOf(given: Terms): readonly string[] {
  if (Array.isArray(given)) return distinct(given);
  const columns = given instanceof Map ? [...given] : Object.entries(given as Record<string, number>);
  const terms = new Array<string | undefined>(columns.length).fill(undefined);
  for (const [term, column] of columns) {
    if (!Number.isInteger(column) || column < 0 || column >= columns.length || terms[column] !== undefined)
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `each of the columns 0 to ${columns.length - 1} once`,
        received: `${column} of ${JSON.stringify(term)}`,
        at: 'vocabulary',
      });
    terms[column] = term;
  }
  return terms as string[];
}
