import type { ParameterValue } from '@brezel/core';
import type { Numbers } from './define-op.js';
import { flourError } from './errors.js';

// Numbers that users hand to operators: checked, laid out, stored.

/** A float64 parameter, for operators that compute in float64 and round once. */
export function float64(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'float64', shape, data: float64Array(values) };
}

export const float64Array = (values: Numbers): Float64Array<ArrayBuffer> => Float64Array.from(values, Number);

/**
 * How many rows of `columns` numbers a list holds.
 *
 * @throws ERR_FLOUR_SIZE when it holds none, or a part of one.
 */
export function rowsOf(at: string, name: string, values: Numbers, columns: number): number {
  const rows = values.length / columns;
  if (Number.isInteger(rows) && rows > 0) return rows;
  throw flourError('ERR_FLOUR_SIZE', {
    expected: `${name} in rows of ${columns}`,
    received: `${values.length} numbers`,
    at,
  });
}

/** @throws ERR_FLOUR_SIZE when a list has another length. */
export function ofCount(at: string, name: string, values: Numbers, expected: number): void {
  if (values.length === expected) return;
  throw flourError('ERR_FLOUR_SIZE', { expected: `${expected} ${name}`, received: `${values.length}`, at });
}

/** @throws ERR_FLOUR_PARAM, naming the first number that does not pass. */
export function everyNumber(at: string, expected: string, values: Numbers, passes: (value: number) => boolean): void {
  const list = Array.from(values as ArrayLike<number | bigint>, Number);
  const wrong = list.findIndex((value) => !passes(value));
  if (wrong >= 0) throw flourError('ERR_FLOUR_PARAM', { expected, received: `${list[wrong]} at ${wrong}`, at });
}

/** @throws ERR_FLOUR_PARAM unless the value is an integer in the range. */
export function integerIn(at: string, name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw flourError('ERR_FLOUR_PARAM', { expected: `${name} from ${least} to ${most}`, received: `${value}`, at });
}

/** @throws ERR_FLOUR_PARAM unless the value is one of the list; gives its place there. */
export function placeOf(at: string, name: string, value: unknown, list: readonly string[]): number {
  const place = list.indexOf(value as string);
  if (place >= 0) return place;
  throw flourError('ERR_FLOUR_PARAM', { expected: `${name}: ${list.join(', ')}`, received: String(value), at });
}

/** `rows` rows of `columns` numbers become `columns` rows of `rows`: models list a row an output, kernels want one a feature. */
export function transposed<A extends Float32Array | Float64Array>(values: A, rows: number, columns: number): A {
  const turned = values.slice() as A;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column]!;
  }
  return turned;
}

/** Kernel attributes are integers: a float32 travels as its bits. */
export const floatBits = (value: number): number => new Int32Array(Float32Array.of(value).buffer)[0]!;
