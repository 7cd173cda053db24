import { sparse } from '@brezel/core';
import { onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../tokenize/index.js';
import { NON_SPACE, WHOLE_TEXT } from '../tokenize/patterns.js';
import { type HashNgramAttributes, reference } from './reference.js';

/** Runs fused with the tokenizer before it (kernel `hash_ngram`); alone it has no kernel. */
export const hashNgram = defineOp({
  name: 'hash-ngram',
  version: 1,
  doc: {
    does: 'Counts n-grams without a vocabulary: the hash of each is its column.',
    types: 'tokens → sparse float32[columns]',
    attributes: {
      columns: 'size of the answer',
      minN: 'tokens in an n-gram, at least',
      maxN: 'and at most',
      unit: 'token, character, or padded: characters of a token between spaces',
      seed: 'of MurmurHash3',
      alternateSign: 'whether a bit of the hash gives the sign',
      signed: 'whether the hash is read with its sign',
      binary: 'whether a repeated n-gram counts once',
    },
    kernels: ['hash_ngram'],
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
});

export interface HashNgramOptions {
  /** Columns of the result, 1 to 2^24. Default 2^20. */
  readonly columns?: number;
  /** The same as a power of two, by the unsigned hash, as ML.NET counts: `columns` 2^hashBits, `signed` false. 1 to 24. */
  readonly hashBits?: number;
  /** Of the hash, an integer of 32 bits, signed or not. Default 0. */
  readonly seed?: number;
  /** Least n. Default 1. */
  readonly minN?: number;
  /** Greatest n, at most 64. Default: minN. */
  readonly maxN?: number;
  /**
   * Whether the hash counts as a signed number: the column is then that of its magnitude (scikit-learn), else of the unsigned number. Default:
   * true without `hashBits`.
   */
  readonly signed?: boolean;
  /** Whether n-grams with a negative hash count down, so that collisions cancel on average. Default: as `signed`. */
  readonly alternateSign?: boolean;
  /** 1 for a column that occurs, however often. Default false. */
  readonly binary?: boolean;
}

export interface HashCharNgramOptions extends HashNgramOptions {
  /** N-grams inside each token with a space before and behind it, as scikit-learn's `char_wb`; a text is cut at white space. Default false. */
  readonly padded?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Counts word n-grams without a vocabulary: each is hashed (MurmurHash3 of its UTF-8 bytes, tokens joined by a space) to a column.
     *
     * Shapes: tokens → sparse float32 `[columns]`; distinct columns in order of first occurrence (n outermost); counts that cancel stay as 0.
     * Cost: O(bytes * n), no strings are made. Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM when sizes or the seed are out of range.
     * @see Source: scikit-learn HashingVectorizer; with `hashBits`, the com.microsoft MurmurHash3 of ML.NET's exporter.
     * @example text.tokenize().hashNgram({ columns: 1024, maxN: 2 })
     */
    hashNgram(this: Flow<'tokens'>, options?: HashNgramOptions): Flow<'vector'>;
    /**
     * Counts n-grams of characters (code points) without a vocabulary, hashed: in the whole text, spaces included, or inside each token.
     *
     * Shapes: text or tokens → sparse float32 `[columns]`. Cost: O(bytes * n). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM when sizes or the seed are out of range.
     * @see Source: scikit-learn HashingVectorizer, analyzers char and char_wb.
     * @example text.hashCharNgram({ columns: 1024, minN: 3, maxN: 5, padded: true })
     */
    hashCharNgram(this: Flow<'text'> | Flow<'tokens'>, options?: HashCharNgramOptions): Flow<'vector'>;
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
  // A seed may come as a signed number; what is no integer of 32 bits is refused by the operator.
  const unsigned = seed === (seed | 0) ? seed >>> 0 : seed;
  const attributes = { unit, minN, maxN, columns, seed: unsigned, signed, alternateSign, binary };
  return tokens.context.apply<'vector'>(hashNgram, [tokens], { attributes });
}
