import { sizeOf, sparse } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../hash-ngram/index.js';
import { WHOLE_TEXT } from '../tokenize/patterns.js';
import { reference } from './reference.js';

const MAX_HASH_BITS = 24;

/**
 * Defines the operator `one-hot-hash`, which sets the column that the hash of an integer selects.
 * For texts, `Flow.oneHotHash` uses the operator `hash-ngram` instead.
 */
export const oneHotHash = defineOp({
  name: 'one-hot-hash',
  version: 1,
  doc: {
    does: 'Sets one column to 1. The low bits of the hash of an integer select the column.',
    types: 'int64 → sparse float32[2^hashBits]',
    attributes: { hashBits: '1 to 24', seed: 'seed of MurmurHash3' },
    kernels: ['one_hot_hash'],
  },
  attributes: { hashBits: 'infer', seed: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const type = ofNumbers('one-hot-hash', onlyInput('one-hot-hash', use, 'scalar', 'vector'), 'int64');
    if (sizeOf(type) !== 1)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'one integer', received: `${sizeOf(type)}`, at: 'one-hot-hash' });
    const { hashBits, seed } = use.attributes as { hashBits: number; seed: number };
    if (!(Number.isInteger(hashBits) && hashBits >= 1 && hashBits <= MAX_HASH_BITS))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `hashBits from 1 to ${MAX_HASH_BITS}`,
        received: `${hashBits}`,
        at: 'one-hot-hash',
      });
    if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'seed, an integer of 32 bits',
        received: `${seed}`,
        at: 'one-hot-hash',
      });
    return sparse(2 ** hashBits);
  },
  reference,
  kernel: ({ attributes }) => ({ kernel: 'one_hot_hash', attributes: [Number(attributes.seed) | 0] }),
});

/** Options of `Flow.oneHotHash`. */
export interface OneHotHashOptions {
  /** The number of columns is 2^hashBits. From 1 to 24; default 16. */
  readonly hashBits?: number;
  /** The seed of the hash: a signed or unsigned 32-bit integer. Default 314489979. */
  readonly seed?: number;
}

/** The default seed of ML.NET's hashing transformers. */
const DEFAULT_SEED = 314489979;

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Encodes a text or an integer as a one-hot vector without a list of categories. The
     * MurmurHash3 of the value selects the column. The hash reads the UTF-8 bytes of a text, or the
     * 8 little-endian bytes of an int64. The empty text counts as missing and sets no column.
     *
     * Shapes: text or int64 → sparse float32 `[2^hashBits]`. Cost: O(bytes). Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_PARAM for `hashBits` or a seed out of range; ERR_FLOUR_TYPE for a number
     * that is not int64: cast it first.
     * @see Source: ML.NET OneHotHashEncoding, with the hash of its ONNX export: com.microsoft
     * MurmurHash3, positive.
     * @example text.oneHotHash({ hashBits: 10 })
     */
    oneHotHash(this: Flow<'text' | 'scalar', Row, unknown>, options?: OneHotHashOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.oneHotHash = function (this: Flow<'text'> | Flow<'scalar'>, options = {}) {
  const { hashBits = 16, seed: given = DEFAULT_SEED } = options;
  const seed = given === (given | 0) ? given >>> 0 : given; // a seed may be a signed number
  if (this.kind === 'scalar')
    return this.context.apply<'vector'>(oneHotHash, [this as Flow<'scalar'>], { attributes: { hashBits, seed } });
  const whole = (this as Flow<'text'>).tokenize({ by: { pattern: WHOLE_TEXT } });
  return whole.hashNgram({ hashBits, seed });
};
