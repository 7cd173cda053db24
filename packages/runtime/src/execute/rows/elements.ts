import type { DType } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { PlaceOf } from './row-place.js';

/**
 * Checks a text element and returns it.
 * @throws ERR_RUNTIME_INPUT for a value that is neither a string nor bytes.
 */
export function textElement(value: unknown, place: PlaceOf, index?: number): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'text', received: describe(value), ...place(index) });
}

/**
 * Checks an element of a numeric type and returns it.
 * @throws ERR_RUNTIME_INPUT for a value that is not a number of the type.
 */
export function numberElement(value: unknown, dtype: DType, place: PlaceOf, index?: number): number {
  if (typeof value === 'boolean' && dtype === 'bool') return value ? 1 : 0;
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && isOf(number, dtype)) return number;
  throw runtimeError('ERR_RUNTIME_INPUT', { expected: dtype, received: describe(value), ...place(index) });
}

/**
 * Checks an element of an int64 input and returns it: as a number if float64 holds it, otherwise as
 * a bigint.
 * @throws ERR_RUNTIME_INPUT for a value that is not an integer of 64 bits.
 */
export function integerElement(value: unknown, place: PlaceOf, index?: number): number | bigint {
  if (typeof value === 'number' && isOf(value, 'int64')) return value;
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) {
    const number = Number(value);
    return BigInt(number) === value ? number : value;
  }
  throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'int64', received: describe(value), ...place(index) });
}

const LEAST_INT64 = -(2 ** 63);

/**
 * Returns whether a number is a valid value of the dtype, so that every engine reads the same
 * value.
 */
export function isOf(number: number, dtype: DType): boolean {
  switch (dtype) {
    case 'int64':
      return Number.isInteger(number) && number >= LEAST_INT64 && number < -LEAST_INT64;
    case 'int32':
      return (number | 0) === number;
    case 'bool':
      return number === 0 || number === 1;
    default:
      return true;
  }
}

/** Describes a received value in a few words, for error messages. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
    return `an array of ${(value as ArrayLike<unknown>).length}`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`;
  return typeof value === 'object'
    ? 'an object'
    : typeof value === 'string'
      ? `text ${JSON.stringify(value.slice(0, 20))}`
      : typeof value;
}
