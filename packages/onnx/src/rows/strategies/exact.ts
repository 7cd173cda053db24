import type { DType } from '@brezel/core';

/** Returns whether an element type represents a value of another type without rounding. */
export function isExactly(dtype: DType, value: unknown): boolean {
  if (typeof value === 'string' || dtype === 'string') return typeof value === 'string' && dtype === 'string';
  return typeof value === 'bigint' ? represents[dtype](value) : represents[dtype](Number(value));
}

const isInt64 = (value: number | bigint) =>
  typeof value === 'bigint' || Number.isInteger(value) ? BigInt.asIntN(64, BigInt(value)) === BigInt(value) : false;

/** Returns whether a number equals the result of a conversion to a float. */
const isFloat = (value: number | bigint, round: (number: number) => number) =>
  typeof value === 'bigint' ? BigInt(round(Number(value))) === value : Object.is(round(value), value);

const represents: Readonly<Record<Exclude<DType, 'string'>, (value: number | bigint) => boolean>> = {
  float32: (value) => isFloat(value, Math.fround),
  float64: (value) => isFloat(value, (number) => number),
  int64: isInt64,
  int32: (value) => isInt64(value) && BigInt.asIntN(32, BigInt(value)) === BigInt(value),
  bool: (value) => Number(value) === 0 || Number(value) === 1,
};
