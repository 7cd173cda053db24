import type { NumericDType } from './blocks.js';

/** Whether a conversion to a float may round a number. */
export type Rounding = 'exact' | 'rounded';

/**
 * Returns whether a numeric element type represents a value: a number, a bigint or a boolean.
 *
 * With `exact`, the conversion to the element type must not change the value. With `rounded`, a
 * float type may round a number, but a finite number must stay finite. Integer types never round,
 * and a bigint is never rounded.
 *
 * @example represents('float32', 0.1, 'rounded') // true
 * @example represents('int32', 2 ** 31, 'exact') // false
 */
export function represents(dtype: NumericDType, value: unknown, rounding: Rounding): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value === 'bigint') return bigints[dtype](value);
  return typeof value === 'number' && numbers[dtype](value, rounding);
}

const fits = (bits: number, value: bigint) => BigInt.asIntN(bits, value) === value;
const isInteger = (bits: number, value: number) => Number.isInteger(value) && fits(bits, BigInt(value));
const isWholeFloat = (float: number, value: bigint) => Number.isFinite(float) && BigInt(float) === value;

const bigints: Readonly<Record<NumericDType, (value: bigint) => boolean>> = {
  float32: (value) => isWholeFloat(Math.fround(Number(value)), value),
  float64: (value) => isWholeFloat(Number(value), value),
  int64: (value) => fits(64, value),
  int32: (value) => fits(32, value),
  bool: (value) => value === 0n || value === 1n,
};

const numbers: Readonly<Record<NumericDType, (value: number, rounding: Rounding) => boolean>> = {
  float32: (value, rounding) => {
    const float = Math.fround(value);
    return Object.is(float, value) || (rounding === 'rounded' && Number.isFinite(float));
  },
  float64: () => true,
  int64: (value) => isInteger(64, value),
  int32: (value) => isInteger(32, value),
  bool: (value) => value === 0 || value === 1,
};
