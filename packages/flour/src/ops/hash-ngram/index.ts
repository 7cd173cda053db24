import { sparse } from '@brezel/core';
import { onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../tokenize/index.js';
import { NON_SPACE, WHOLE_TEXT } from '../tokenize/patterns.js';
import { contributions } from './contributions.js';
import { type HashNgramAttributes, reference } from './reference.js';

/**
 * Defines the operator `hash-ngram`, which counts n-grams in columns that their hashes select. The
 * kernel `hash_ngram` runs this operator together with the tokenizer before it. No kernel runs the
 * operator alone.
 */
export const hashNgram = defineOp({
  name: 'hash-ngram',
  version: 1,
  doc: {
    does: 'Counts n-grams without a vocabulary: the hash of an n-gram selects its column.',
    types: 'tokens → sparse float32[columns]',
    attributes: {
      columns: 'number of columns',
      minN: 'minimum tokens of an n-gram',
      maxN: 'maximum tokens of an n-gram',
      unit: 'token, character, or padded (characters of a token between spaces)',
      seed: 'seed of MurmurHash3',
      alternateSign: 'whether n-grams with a negative hash are subtracted',
      signed: 'whether the hash is signed',
      binary: 'whether a repeated n-gram counts once',
    },
    kernels: ['hash_ngram'],
  },
  attributes: {
    columns: 'count',
    minN: 'infer',
    maxN: 'infer',
    unit: ['token', 'character', 'padded'],
    seed: 'infer',
    alternateSign: 'boolean',
    signed: 'boolean',
    binary: 'boolean',
  },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    onlyInput('hash-ngram', use, 'tokens');
    const { minN, maxN, columns, seed } = use.attributes as unknown as HashNgramAttributes;
    const whole = (value: number, from: number, to: number) => Number.isInteger(value) && value >= from && value <= to;
    const need = (holds: boolean, expected: string, received: string) => {
      if (!holds) throw flourError('ERR_FLOUR_PARAM', { expected, received, at: 'hash-ngram' });
    };
    need(whole(minN, 1, maxN) && whole(maxN, 1, 64), '1 <= minN <= maxN <= 64', `minN ${minN}, maxN ${maxN}`);
    need(whole(seed, 0, 2 ** 32 - 1), 'seed, an integer of 32 bits', `${seed}`);
    return sparse(columns);
  },
  reference,
  contributions,
});

/** Options of `Flow.hashNgram`. */
export interface HashNgramOptions {
  /** Number of columns of the result, 1 to 2^24. Default 2^20. */
  readonly columns?: number;
  /**
   * The number of bits of a column index, from 1 to 24. It changes the default of `columns` to
   * 2^hashBits and the default of `signed` to false, as in ML.NET.
   */
  readonly hashBits?: number;
  /** The seed of the hash: a signed or unsigned 32-bit integer. Default 0. */
  readonly seed?: number;
  /** The smallest n-grams to count have this many tokens or characters. Default 1. */
  readonly minN?: number;
  /**
   * The largest n-grams to count have this many tokens or characters, at most 64. Default: `minN`.
   */
  readonly maxN?: number;
  /**
   * Whether the column is computed from the absolute value of the signed hash, as in scikit-learn,
   * or from the unsigned hash. Default: false with `hashBits`, otherwise true.
   */
  readonly signed?: boolean;
  /**
   * If true, an n-gram with a negative hash is subtracted, so that collisions cancel on average.
   * Default: the value of `signed`.
   */
  readonly alternateSign?: boolean;
  /**
   * If true, a column is 1 as soon as one n-gram selects it; otherwise it counts the n-grams.
   * Default false.
   */
  readonly binary?: boolean;
}

/** Options of `Flow.hashCharNgram`. */
export interface HashCharNgramOptions extends HashNgramOptions {
  /**
   * If true, counts only n-grams inside tokens with one space added on both sides, as
   * scikit-learn's `char_wb` does. A text is split into tokens at white space. Default false.
   */
  readonly padded?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Counts word n-grams without a vocabulary. The hash of an n-gram selects its column: the
     * MurmurHash3 of its UTF-8 bytes, with its tokens joined by a space.
     *
     * Shapes: tokens → sparse float32 `[columns]`, with distinct columns in the order in which
     * their n-grams occur, shorter n-grams first. A count that cancels to 0 stays in the vector.
     * Cost: O(bytes * n), without building strings. Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for sizes or a seed out of range.
     * @see Source: scikit-learn HashingVectorizer; with `hashBits`, the com.microsoft MurmurHash3
     * of ML.NET's exporter.
     * @example text.tokenize().hashNgram({ columns: 1024, maxN: 2 })
     */
    hashNgram(this: Flow<'tokens', Row, unknown>, options?: HashNgramOptions): Flow<'vector', Row>;
    /**
     * Counts hashed n-grams of characters (code points) without a vocabulary. For a text, n-grams
     * may contain spaces; for tokens, each n-gram is inside one token.
     *
     * Shapes: text or tokens → sparse float32 `[columns]`. Cost: O(bytes * n). Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_PARAM for sizes or a seed out of range.
     * @see Source: scikit-learn HashingVectorizer, analyzers char and char_wb.
     * @example text.hashCharNgram({ columns: 1024, minN: 3, maxN: 5, padded: true })
     */
    hashCharNgram(this: Flow<'text' | 'tokens', Row, unknown>, options?: HashCharNgramOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.hashNgram = function (this: Flow<'tokens'>, options = {}) {
  return applyHash(this, 'token', options);
};

Flow.prototype.hashCharNgram = function (this: Flow<'text'> | Flow<'tokens'>, options = {}) {
  const unit = options.padded ? 'padded' : 'character';
  if (this.kind === 'tokens') return applyHash(this as Flow<'tokens'>, unit, options);
  const pattern = options.padded ? NON_SPACE : WHOLE_TEXT;
  return applyHash((this as Flow<'text'>).tokenize({ by: { pattern } }), unit, options);
};

const MAX_HASH_BITS = 24;

function applyHash(
  tokens: Flow<'tokens'>,
  unit: HashNgramAttributes['unit'],
  options: HashNgramOptions,
): Flow<'vector'> {
  const { hashBits, seed = 0, minN = 1, maxN = minN, binary = false } = options;
  if (hashBits !== undefined && !(Number.isInteger(hashBits) && hashBits >= 1 && hashBits <= MAX_HASH_BITS))
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `hashBits from 1 to ${MAX_HASH_BITS}`,
      received: `${hashBits}`,
      at: 'hash-ngram',
    });
  const { columns = 2 ** (hashBits ?? 20), signed = hashBits === undefined, alternateSign = signed } = options;
  // A seed may be a signed number. The operator rejects a seed that is not a 32-bit integer.
  const unsigned = seed === (seed | 0) ? seed >>> 0 : seed;
  const attributes = { unit, minN, maxN, columns, seed: unsigned, signed, alternateSign, binary };
  return tokens.context.apply<'vector'>(hashNgram, [tokens], { attributes });
}
