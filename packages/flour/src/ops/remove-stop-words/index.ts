import { tokens } from '@brezel/core';
import type { ParameterLease } from '@brezel/object-store';
import { onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { stringList } from '../string-normalize/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `remove-stop-words`, which removes stop words from a list of tokens. The
 * kernels `text_ngram`, `word_char_ngram` and `hash_ngram` run it together with its neighbors. No
 * kernel runs the operator alone.
 */
export const removeStopWords = defineOp({
  name: 'remove-stop-words',
  version: 1,
  doc: {
    does: 'Removes the tokens that are stop words.',
    types: 'tokens → tokens',
    parameters: { stopWords: 'string[words]' },
    kernels: ['text_ngram', 'hash_ngram', 'word_char_ngram'],
  },
  parameters: { stopWords: ['string'] },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const { stopWords } = use.parameters;
    if (stopWords?.dtype !== 'string' || stopWords.shape[0] === 0)
      throw flourError('ERR_FLOUR_PARAM', { expected: 'at least one stop word', at: 'remove-stop-words' });
    return onlyInput('remove-stop-words', use, 'tokens') && tokens;
  },
  reference,
  contributions,
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Removes stop words from the tokens, before n-grams are built. The tokens before and after a
     * removed token become neighbors. A token is removed if it is exactly equal to a stop word. So
     * write stop words as the tokens are, for example in lower case and without accents. Do not
     * confuse this method with the stop words of `stringNormalize`, which are compared with whole
     * texts.
     *
     * Shapes: tokens → tokens. Cost: O(tokens) table lookups. Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for an empty list.
     * @see Source: scikit-learn `stop_words`; ML.NET CustomStopWordsRemovingEstimator.
     * @example text.tokenize().removeStopWords(['the', 'a']).wordNgram({ vocabulary: [['good', 'film']] })
     */
    removeStopWords(
      this: Flow<'tokens', Row, unknown>,
      stopWords: readonly string[] | ParameterLease,
    ): Flow<'tokens', Row>;
  }
}

Flow.prototype.removeStopWords = function (this: Flow<'tokens'>, stopWords) {
  const parameter = 'id' in stopWords ? stopWords : stringList(stopWords);
  return this.context.apply<'tokens'>(removeStopWords, [this], { parameters: { stopWords: parameter } });
};
