import { type NumericDType, numericArray, type ParameterValue, represents } from '@brezel/core';
import type { Numbers } from '../define-op.js';
import { flourError } from '../errors.js';
import { shown } from './row-values.js';

/**
 * Converts a list of numbers or strings to a parameter of a custom operator. float32 parameters
 * round the numbers.
 *
 * @throws ERR_FLOUR_PARAM if `values` is not a list, or for a value that `dtype` cannot represent:
 * a text among numbers, a fraction or a large number for integers, a finite number beyond float32.
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
  const isText = dtype === 'string';
  const wrong = list.findIndex((value) =>
    isText ? typeof value !== 'string' : !represents(dtype as NumericDType, value, 'rounded'),
  );
  if (wrong !== -1) throw fail(`${shown(list[wrong])} at index ${wrong}`);
  if (isText) return { dtype, shape: [list.length], values: (list as string[]).map((value) => value.toWellFormed()) };
  const data = numericArray(dtype as NumericDType, list.length);
  list.forEach((value, index) => {
    data[index] = (dtype === 'int64' ? BigInt(value as number) : Number(value)) as never;
  });
  return { dtype: dtype as NumericDType, shape: [list.length], data } as ParameterValue;
}
