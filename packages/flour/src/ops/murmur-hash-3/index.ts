import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { shown } from '../../custom/row-values.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { reference } from './reference.js';

/**
 * Defines the operator `murmur-hash-3`, which hashes the bytes of a text or a number to 32 bits.
 * `Flow.murmurHash3` adds it to a program.
 *
 * Types: text, or numbers [n] → int64[n]; signed: int32[n].
 */
export const murmurHash3 = defineOp({
  name: 'murmur-hash-3',
  version: 1,
  doc: {
    does: 'Hashes the bytes of a text or a number to 32 bits.',
    types: 'text, or numbers [n] → int64[n]; signed: int32[n]',
    attributes: { seed: 'seed of MurmurHash3', signed: 'whether the hash is signed' },
    kernels: ['murmur_hash3'],
  },
  attributes: { seed: 'infer', signed: 'boolean' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const input = onlyInput('murmur-hash-3', use, 'scalar', 'vector');
    const type = ofNumbers('murmur-hash-3', input, 'string', 'int32', 'int64', 'float32', 'float64');
    const { seed } = use.attributes;
    if (!(Number.isInteger(seed) && (seed as number) >= 0 && (seed as number) < 2 ** 32))
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'a seed from 0 to 2^32 - 1',
        received: shown(seed),
        at: 'murmur-hash-3',
      });
    return denseLike(type, use.attributes.signed === true ? 'int32' : 'int64');
  },
  reference,
  kernel: ({ attributes }) => ({ kernel: 'murmur_hash3', attributes: [(attributes.seed as number) | 0] }),
});

/** Options of `Flow.murmurHash3`. */
export interface MurmurHash3Options {
  /** The seed of the hash, from 0 to 2^32 - 1. Default 0. */
  readonly seed?: number;
  /**
   * If true, the result is an int32, which may be negative. If false (default), it is an int64 from
   * 0 to 2^32 - 1.
   */
  readonly signed?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Hashes the UTF-8 bytes of a text, or the little-endian bytes of a number, to 32 bits.
     *
     * Shapes: text or dense int32, int64, float32, float64 → int64 (int32 if signed) of the same
     * size. Cost: O(bytes).
     * @throws ERR_FLOUR_PARAM for a seed that is not a uint32.
     * @see Source: com.microsoft MurmurHash3-1; A. Appleby's MurmurHash3_x86_32.
     * @example text.murmurHash3({ seed: 42 })
     */
    murmurHash3(this: Flow<'text' | 'scalar', Row, unknown>, options?: MurmurHash3Options): Flow<'scalar', Row>;
    murmurHash3(this: Flow<'vector', Row, unknown>, options?: MurmurHash3Options): Flow<'vector', Row>;
  }
}

Flow.prototype.murmurHash3 = function (this: Flow, { seed = 0, signed = false }: MurmurHash3Options = {}) {
  return this.context.apply(murmurHash3, [this], { attributes: { seed, signed } }) as never;
};
