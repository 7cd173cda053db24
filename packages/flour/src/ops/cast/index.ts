import { type DType, dtypeOf, type NumericDType, sizeOf } from '@brezel/core';
import { denseLike, ofElement, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import { passesElements } from '../../quality.js';
import '../densify/index.js';
import type { ElementOf } from '../../flow-types.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

const NUMBERS = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;
const CAST_HINT = "cast('float32') takes an element type of numbers";

/**
 * Defines the operator `cast`, which converts the element type of a value. `Flow.cast` adds it to a
 * program.
 *
 * Types: numbers [n] → numbers [n].
 */
export const cast = defineOp({
  name: 'cast',
  version: 1,
  doc: {
    does: 'Converts the element type. A float becomes an integer by truncation, within the range of the type; NaN becomes the least integer.',
    types: 'numbers [n] → numbers [n]',
    attributes: { to: 'the element type' },
    kernels: ['cast'],
  },
  attributes: { to: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', passesIntegers: true },
  infer(use) {
    const type = ofNumbers('cast', onlyInput('cast', use, 'scalar', 'vector'), ...NUMBERS);
    ofElement('cast', use.attributes.to, NUMBERS, CAST_HINT);
    return denseLike(type, use.attributes.to as NumericDType);
  },
  reference,
  contributions,
  identity: (use) => dtypeOf(use.inputs[0]!) === dtypeOf(use.type),
  quality: (use) => (keepsValues(dtypeOf(use.inputs[0]!), dtypeOf(use.type)) ? passesElements(use) : undefined),
  // in an integer type, NaN becomes the least integer, so that no later imputer finds it
  missing: (use) => (/^float/.test(dtypeOf(use.type)) ? passesMissing(use) : new Uint8Array(sizeOf(use.inputs[0]!))),
  kernel: () => ({ kernel: 'cast' }),
});

/**
 * The rank of each element type by its range of values. A cast to a type with an equal or higher
 * rank changes no value, except that it may round to a float.
 */
const WIDTHS: Readonly<Partial<Record<DType, number>>> = { bool: 0, int32: 1, int64: 2, float32: 3, float64: 3 };

/**
 * Returns whether a cast only rounds values. A cast from a wider type may also clamp or truncate
 * them.
 */
const keepsValues = (from: DType, to: DType): boolean => WIDTHS[from]! <= WIDTHS[to]!;

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts the element type. A float becomes an integer by truncation. A float outside the
     * range becomes the nearest integer of the type, and NaN becomes the least integer. A cast from
     * int64 to int32 takes the low 32 bits. A bool is true for every value except zero. A cast to
     * the same type is free.
     *
     * Shapes: dense `[n]` → `[n]`. Cost: O(n).
     * @throws ERR_FLOUR_TYPE for another element type.
     * @see Source: ONNX Cast, numbers only.
     * @example counts.compare('greater', 0).cast('float32')
     */
    cast<const To extends NumericDType>(
      this: Flow<'vector', Row, unknown>,
      to: To,
    ): Flow<'vector', Row, readonly ElementOf<To>[]>;
    cast<const To extends NumericDType>(this: Flow<'scalar', Row, unknown>, to: To): Flow<'scalar', Row, ElementOf<To>>;
  }
}

Flow.prototype.cast = function (this: Flow, to: NumericDType) {
  if (dtypeOf(this.type) === to) return this as never;
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  return this.context.apply(cast, [source], { attributes: { to } }) as never;
};
