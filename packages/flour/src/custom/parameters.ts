import { type NumericDType, numericArray, type ParameterValue } from '@brezel/core';
import type { Numbers } from '../define-op.js';
import { flourError } from '../errors.js';

/**
 * Converts numbers or strings to a parameter of a custom operator. Rounds fractions to float32.
 *
 * @throws ERR_FLOUR_PARAM if the element type does not match the operator, or cannot represent a
 * value: a fraction or a large number for integers, a finite number beyond float32.
 */
export function customParameter(
  at: string,
  dtype: string,
  values: Numbers | readonly string[] | undefined,
): ParameterValue {
  const fail = (received: string) => flourError('ERR_FLOUR_PARAM', { expected: `an array of ${dtype}`, received, at });
  if (values === undefined || values === null || typeof values !== 'object' || !('length' in values))
    throw fail(values === undefined ? 'nothing' : typeof values);
  const list = Array.from(values as ArrayLike<unknown>);
  const wrong = list.find((value) => (typeof value === 'string') !== (dtype === 'string'));
  if (wrong !== undefined) throw fail(String(wrong));
  if (dtype === 'string')
    return { dtype, shape: [list.length], values: (list as string[]).map((value) => value.toWellFormed()) };
  const data = numericArray(dtype as NumericDType, list.length);
  list.forEach((value, place) => {
    if (dtype === 'int64' && typeof value !== 'bigint' && !Number.isInteger(value)) throw fail(String(value));
    data[place] = (dtype === 'int64' ? BigInt(value as number) : Number(value)) as never;
    if (!represents(dtype, value, data[place]!)) throw fail(`${value} at index ${place}`);
  });
  return { dtype: dtype as NumericDType, shape: [list.length], data } as ParameterValue;
}

/** Returns whether an array element represents a value. Floats may be rounded. */
function represents(dtype: string, value: unknown, element: number | bigint): boolean {
  if (dtype === 'bool') return Number(value) === 0 || Number(value) === 1;
  const isWhole = dtype === 'int32' || dtype === 'int64' || typeof value === 'bigint';
  if (!isWhole) return Number.isFinite(element) || !Number.isFinite(Number(value));
  return Number.isFinite(Number(element)) && BigInt(element) === integerOf(value);
}

const integerOf = (value: unknown): bigint | undefined =>
  typeof value === 'bigint' || Number.isInteger(Number(value)) ? BigInt(value as number | bigint) : undefined;
