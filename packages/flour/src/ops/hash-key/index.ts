import { scalar } from '@brezel/core';
import { ofText } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { type HashKeyAttributes, hashSchemes, reference } from './reference.js';

/**
 * Defines the operator `hash-key`, which maps a text to an ML.NET key: the low bits of the hash of
 * the text. `Flow.hashKey` adds it to a program.
 *
 * Types: text → int64.
 */
export const hashKey = defineOp({
  name: 'hash-key',
  version: 1,
  doc: {
    does: "Maps a text to ML.NET's key without a list of keys: some bits of its hash.",
    types: 'text → int64',
    attributes: {
      hashBits: 'number of bits',
      seed: 'seed of the hash',
      scheme: "1: ML.NET's hash before version 1.5; 2: MurmurHash3",
      first: '1: keys from 1, 0 means missing; 0: keys from 0, 2^hashBits means missing',
    },
    kernels: ['hash_key'],
  },
  attributes: { hashBits: 'infer', seed: 'infer', scheme: 'infer', first: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const { hashBits, seed, scheme, first } = use.attributes as unknown as HashKeyAttributes;
    const need = (holds: boolean, expected: string, received: number) => {
      if (!holds) throw flourError('ERR_FLOUR_PARAM', { expected, received: `${received}`, at: 'hash-key' });
    };
    need(
      Number.isInteger(hashBits) && hashBits >= 1 && hashBits <= MAX_HASH_BITS,
      `1 to ${MAX_HASH_BITS} bits`,
      hashBits,
    );
    need(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32, 'a seed from 0 to 2^32 - 1', seed);
    need(Object.values(hashSchemes).includes(scheme), 'scheme 1 or 2', scheme);
    need(first === 0 || first === 1, 'first 0 or 1', first);
    return ofText('hash-key', use) && scalar('int64');
  },
  reference,
  kernel({ attributes }) {
    const { hashBits, seed, scheme, first } = attributes as unknown as HashKeyAttributes;
    return { kernel: 'hash_key', attributes: [hashBits, seed | 0, scheme, first] };
  },
});

const MAX_HASH_BITS = 31;
/** The default seed of ML.NET's hashing transformers. */
const DEFAULT_SEED = 314489979;

/** Options of `Flow.hashKey`. */
export interface HashKeyOptions {
  /** The number of bits of a key, from 1 to 31. There are 2^hashBits keys. Default 31. */
  readonly hashBits?: number;
  /** The seed of the hash, from 0 to 2^32 - 1. Default 314489979, as in ML.NET. */
  readonly seed?: number;
  /**
   * The hash function. 1: the hash of ML.NET before version 1.5. 2 (default): ML.NET's variant of
   * MurmurHash3.
   */
  readonly scheme?: 1 | 2;
  /**
   * The first key: 1 (default), or 0. A missing text gets the key 0 in the first case, and
   * 2^hashBits in the second case.
   */
  readonly first?: 0 | 1;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Maps a text to a key without a list of keys. The key is the low bits of the hash of the text.
     * The hash ignores leading and trailing spaces. An empty text counts as missing.
     *
     * With scheme 2, the hash of an ASCII text is MurmurHash3. For other texts, ML.NET's hash
     * differs from MurmurHash3, and Brezel computes the hash of ML.NET.
     *
     * Shapes: text → int64. Cost: O(characters). Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for bits, a seed or a scheme out of range.
     * @see Source: ML.NET HashingEstimator, versions 1.2 (scheme 1) to 1.4 of its format.
     * @example text.hashKey({ hashBits: 16 })
     */
    hashKey(this: Flow<'text', Row, unknown>, options?: HashKeyOptions): Flow<'scalar', Row>;
  }
}

Flow.prototype.hashKey = function (this: Flow<'text'>, options = {}) {
  const { hashBits = MAX_HASH_BITS, seed = DEFAULT_SEED, scheme = hashSchemes.murmur, first = 1 } = options;
  return this.context.apply<'scalar'>(hashKey, [this], { attributes: { hashBits, seed, scheme, first } });
};
