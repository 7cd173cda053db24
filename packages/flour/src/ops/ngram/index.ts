import { sparse } from '@brezel/core';
import { onlyInput } from '../../checks.js';
import { defineOp, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyIndex, ofCount } from '../../numbers.js';
import type { Statistics } from '../../program.js';
import { checkDistinct, textsOf } from '../dictionary-lookup/entries.js';
import '../tokenize/index.js';
import { countNgrams, type NgramAttributes } from '@brezel/tensors';
import { NON_SPACE } from '../tokenize/patterns.js';
import { contributions } from './contributions.js';
import { type Vocabulary, vocabulary } from './vocabulary.js';

export { compactVocabulary, type NewVocabulary, type VocabularyPart } from '@brezel/tensors';
export { type Vocabulary, vocabulary } from './vocabulary.js';

/**
 * Defines the operator `ngram`, which counts the n-grams of a vocabulary. The kernels `text_ngram`
 * and `word_char_ngram` run this operator together with the tokenizer before it. No kernel runs the
 * operator alone.
 */
export const ngram = defineOp({
  name: 'ngram',
  version: 1,
  doc: {
    does: 'Counts the n-grams of a vocabulary.',
    types: 'tokens → sparse float32[columns]',
    attributes: {
      columns: 'number of columns',
      minN: 'minimum tokens of an n-gram',
      maxN: 'maximum tokens of an n-gram',
      maxSkip: 'maximum tokens to skip',
      gramCounts: 'number of n-grams of each length',
      unit: 'token, character, or padded (characters of a token between spaces)',
      binary: 'whether a repeated n-gram counts once',
      occurrences: 'whether each occurrence is an entry with the number 1 (set by Oven)',
    },
    parameters: {
      tokens: 'string[tokens], distinct',
      grams: 'int32, the tokens of all n-grams, grouped by n',
      columns: 'int32[n-grams], the column of each',
    },
    kernels: ['text_ngram', 'word_char_ngram'],
  },
  attributes: {
    columns: 'count',
    minN: 'count',
    maxN: 'count',
    maxSkip: 'count',
    gramCounts: 'infer',
    unit: ['token', 'character', 'padded'],
    binary: 'boolean',
    occurrences: 'boolean',
  },
  parameters: { tokens: ['string'], grams: ['int32'], columns: ['int32'] },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    onlyInput('ngram', use, 'tokens');
    const { columns, minN, maxN, gramCounts, unit, maxSkip, binary, occurrences } =
      use.attributes as unknown as NgramAttributes;
    if (!(minN >= 1 && minN <= maxN && maxN <= 64)) {
      throw flourError('ERR_FLOUR_PARAM', {
        expected: '1 <= minN <= maxN <= 64',
        received: `minN ${minN}, maxN ${maxN}`,
        at: 'ngram',
      });
    }
    if (unit === 'padded' && maxSkip !== 0)
      throw flourError('ERR_FLOUR_PARAM', { expected: 'maxSkip 0 with padded', received: `${maxSkip}`, at: 'ngram' });
    if (binary && occurrences)
      throw flourError('ERR_FLOUR_PARAM', { expected: 'binary or occurrences', received: 'both', at: 'ngram' });
    const tokens = gramCounts.reduce((sum, count, index) => sum + count * (index + 1), 0);
    const held = use.parameters.grams?.shape[0];
    if (held !== tokens)
      throw flourError('ERR_FLOUR_SIZE', { expected: `${tokens} tokens in n-grams`, received: `${held}`, at: 'ngram' });
    return sparse(columns);
  },
  reference: countNgrams,
  contributions,
  check({ attributes, parameters: { tokens, grams, columns } }) {
    const { gramCounts, columns: count } = attributes as unknown as NgramAttributes;
    const gramCount = gramCounts.reduce((sum, one) => sum + one, 0);
    checkDistinct('ngram', textsOf(tokens!));
    const all = numbersOf(columns!) as Int32Array;
    ofCount('ngram', 'columns of n-grams', all, gramCount);
    everyIndex('ngram', 'columns', all, count);
    everyIndex('ngram', 'tokens', numbersOf(grams!) as Int32Array, tokens!.shape[0]!);
  },
  summary({ attributes }) {
    const { unit, minN, maxN, maxSkip, binary, occurrences, columns } = attributes as unknown as NgramAttributes;
    const grams = `${minN === maxN ? '' : `${minN}- to `}${maxN}-grams${unit === 'character' ? ' of characters' : ''}`;
    return [
      grams,
      `${columns} columns`,
      ...(binary ? ['binary'] : []),
      ...(occurrences ? ['each occurrence'] : []),
      ...(maxSkip > 0 ? [`skips ${maxSkip}`] : []),
    ].join(', ');
  },
});

/** Vocabulary and options of `Flow.wordNgram`. */
export interface NgramOptions {
  /** The n-grams to count, in column order, or a vocabulary that several programs share. */
  readonly vocabulary: Vocabulary | readonly (readonly string[])[];
  /**
   * The smallest n-grams to count have this many tokens or characters. Default: the size of the
   * shortest n-gram in the vocabulary.
   */
  readonly minN?: number;
  /**
   * The largest n-grams to count have this many tokens or characters. Default: the size of the
   * longest n-gram in the vocabulary.
   */
  readonly maxN?: number;
  /**
   * If true, sets 1 for each n-gram that occurs, however often. If false (default), counts the
   * occurrences.
   */
  readonly binary?: boolean;
  /** An n-gram may skip up to this many tokens between two of its tokens. Default 0. */
  readonly maxSkip?: number;
  /** Statistics about the counts from training. Rules of Oven use them to estimate costs. */
  readonly statistics?: Statistics;
}

/** Options of `Flow.charNgram`. */
export interface CharNgramOptions extends NgramOptions {
  /**
   * If true, counts only n-grams inside tokens with one space added on both sides, as
   * scikit-learn's `char_wb` does. A text is split into tokens at white space. A padded token with
   * fewer than minN characters is itself an n-gram. Default false.
   */
  readonly padded?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Counts the word n-grams of a vocabulary in the tokens of each row.
     *
     * Shapes: tokens → sparse float32 `[columns]`, with distinct columns in the order in which
     * their n-grams occur, shorter n-grams first. Cost: O(tokens * n) table lookups. Bit-equal on
     * every engine.
     * @throws ERR_FLOUR_PARAM for an empty vocabulary, or minN > maxN.
     * @see Source: ONNX TfIdfVectorizer-9, mode TF; ML.NET word n-gram extractor.
     * @example text.tokenize().wordNgram({ vocabulary: [['good'], ['not', 'good']] })
     */
    wordNgram(this: Flow<'tokens', Row, unknown>, options: NgramOptions): Flow<'vector', Row>;
    /**
     * Counts n-grams of characters (code points). For a text, n-grams may contain spaces; for
     * tokens, each n-gram is inside one token.
     *
     * Shapes: text or tokens → sparse float32 `[columns]`. Cost: O(characters * n). Bit-equal on
     * every engine.
     * @throws ERR_FLOUR_PARAM for an empty vocabulary, or minN > maxN.
     * @see Source: ONNX TfIdfVectorizer-9 over single characters; ML.NET char n-gram extractor;
     * scikit-learn's char_wb.
     * @example text.charNgram({ vocabulary: ['goo', 'ood'].map((gram) => [...gram]) })
     */
    charNgram(this: Flow<'text' | 'tokens', Row, unknown>, options: CharNgramOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.wordNgram = function (this: Flow<'tokens'>, options) {
  return applyNgram(this, 'token', options);
};

Flow.prototype.charNgram = function (this: Flow<'text'> | Flow<'tokens'>, options) {
  const unit = options.padded ? 'padded' : 'character';
  if (this.kind === 'tokens') return applyNgram(this as Flow<'tokens'>, unit, options);
  if (options.padded) return applyNgram((this as Flow<'text'>).tokenize({ by: { pattern: NON_SPACE } }), unit, options);
  return applyNgram((this as Flow<'text'>).tokenize({ by: 'characters' }), 'token', options);
};

function applyNgram(tokens: Flow<'tokens'>, unit: NgramAttributes['unit'], options: NgramOptions): Flow<'vector'> {
  const words: Vocabulary = 'gramCounts' in options.vocabulary ? options.vocabulary : vocabulary(options.vocabulary);
  const { minN = words.minN, maxN = words.maxN, binary = false, maxSkip = 0, statistics } = options;
  return tokens.context.apply<'vector'>(ngram, [tokens], {
    attributes: { unit, minN, maxN, maxSkip, binary, columns: words.columns, gramCounts: words.gramCounts },
    parameters: words.parameters,
    ...(statistics && { statistics }),
  });
}
