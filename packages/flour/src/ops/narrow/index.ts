import { dtypeOf } from '@brezel/core';
import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { placeOf } from '../../numbers.js';
import '../cast/index.js';
import { type NarrowType, narrowTypes, reference } from './reference.js';

export type { NarrowType } from './reference.js';

const names = Object.keys(narrowTypes);

/**
 * Defines the operator `narrow`, which converts integers to a narrower type. `Flow.narrow` adds it
 * to a program.
 *
 * Types: int64[n] → int32[n], or int64[n] for uint32 and uint64.
 */
export const narrow = defineOp({
  name: 'narrow',
  version: 1,
  doc: {
    does: 'Converts integers to a narrower type: takes their low bits.',
    types: 'int64[n] → int32[n], or int64[n] for uint32 and uint64',
    attributes: {
      to: 'int8, uint8, int16, uint16, uint32 or (checked) uint64',
      checked: 'true: a number outside the range of the type rejects its row',
    },
    kernels: ['narrow'],
  },
  attributes: { to: 'infer', checked: 'boolean' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', passesIntegers: ({ to }) => to === 'uint64' },
  infer(use) {
    placeOf('narrow', 'type', use.attributes.to, names);
    const type = ofNumbers('narrow', onlyInput('narrow', use, 'scalar', 'vector'), 'int64');
    const { to, checked = false } = use.attributes;
    placeOf('narrow', 'checked', String(checked), to === 'uint64' ? ['true'] : ['false', 'true']);
    return denseLike(type, to === 'uint32' || to === 'uint64' ? 'int64' : 'int32');
  },
  reference,
  kernel({ attributes }) {
    const { bits, signed } = narrowTypes[attributes.to as NarrowType];
    return { kernel: 'narrow', attributes: [bits, Number(signed), Number(attributes.checked === true)] };
  },
});

/** Options of `Flow.narrow`. */
export interface NarrowOptions {
  /**
   * What to do with a number outside the range of the type: take its low bits (default), or reject
   * its row. For uint64, `error` also rejects numbers from 2^63.
   */
  readonly outside?: 'low bits' | 'error';
}

/**
 * The type of a narrowed integer in an answer. Only a uint64 may be too large for a JavaScript
 * number.
 */
export type NarrowValue<To extends NarrowType> = To extends 'uint64' ? number | bigint : number;

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts numbers to a narrower integer type: truncates them to integers and keeps the low
     * bits. With `outside: 'error'`, and always for `uint64`, a number outside the range of the
     * type rejects its row instead. The result is stored as int64 for uint32 and uint64, otherwise
     * as int32.
     *
     * Shapes: dense numbers `[n]` → int32 or int64 `[n]`. Cost: O(n).
     * @throws ERR_RUNTIME_INPUT during a prediction if a number outside the type rejects its row.
     * @see Source: ONNX Cast to (u)int8, (u)int16 and uint32; graph inputs of these types.
     * @example counts.narrow('uint8')
     */
    narrow<const To extends NarrowType>(
      this: Flow<'vector', Row, unknown>,
      to: To,
      options?: NarrowOptions,
    ): Flow<'vector', Row, readonly NarrowValue<To>[]>;
    narrow<const To extends NarrowType>(
      this: Flow<'scalar', Row, unknown>,
      to: To,
      options?: NarrowOptions,
    ): Flow<'scalar', Row, NarrowValue<To>>;
  }
}

Flow.prototype.narrow = function (this: Flow, to: NarrowType, { outside = 'low bits' }: NarrowOptions = {}) {
  const source = dtypeOf(this.type) === 'int64' ? this : (this as Flow<'vector'>).cast('int64');
  const isChecked = placeOf('narrow', 'outside', outside, ['low bits', 'error']) === 1 || to === 'uint64';
  return this.context.apply(narrow, [source], { attributes: { to, ...(isChecked && { checked: true }) } }) as never;
};
