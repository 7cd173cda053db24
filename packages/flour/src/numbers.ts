import type { ParameterValue } from '@brezel/core';
import { shown } from './custom/row-values.js';
import type { Numbers } from './define-op.js';
import { flourError } from './errors.js';

// Functions that check numbers which users pass to operators, and convert them to parameters.

/**
 * Converts numbers to a float64 parameter, for operators that compute in float64 and round once.
 */
export function float64(values: Numbers, shape: readonly number[] = [values.length]): ParameterValue {
  return { dtype: 'float64', shape, data: float64Array(values) };
}

export const float64Array = (values: Numbers): Float64Array<ArrayBuffer> => Float64Array.from(values, Number);

/**
 * Returns how many rows of `columns` numbers a list contains.
 *
 * @throws ERR_FLOUR_SIZE for an empty list, or an incomplete row.
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

/**
 * Checks the length of a list.
 *
 * @throws ERR_FLOUR_SIZE for another length.
 */
export function ofCount(at: string, name: string, values: Numbers, expected: number): void {
  if (values.length === expected) return;
  throw flourError('ERR_FLOUR_SIZE', { expected: `${expected} ${name}`, received: `${values.length}`, at });
}

/**
 * Checks each number of a list.
 *
 * @throws ERR_FLOUR_PARAM, with the first invalid number.
 */
export function everyNumber(at: string, expected: string, values: Numbers, passes: (value: number) => boolean): void {
  const list = Array.from(values as ArrayLike<number | bigint>, Number);
  const wrong = list.findIndex((value) => !passes(value));
  if (wrong >= 0) throw flourError('ERR_FLOUR_PARAM', { expected, received: `${list[wrong]} at ${wrong}`, at });
}

/**
 * Checks a list of indices. Uses a plain loop, because a list can be long.
 *
 * @throws ERR_FLOUR_PARAM, with the first number that is not an index below `size`.
 */
export function everyIndex(at: string, name: string, list: ArrayLike<number>, size: number): void {
  for (let place = 0; place < list.length; place++) {
    const one = list[place]!;
    if (one >>> 0 === one && one < size) continue;
    throw flourError('ERR_FLOUR_PARAM', { expected: `${name} from 0 to ${size - 1}`, received: `${one}`, at });
  }
}

/**
 * Checks the starts of consecutive ranges: the first start is 0, the starts ascend, and the last
 * one is `end`, the end of the last range.
 *
 * @throws ERR_FLOUR_PARAM if a condition is not met.
 */
export function checkStarts(at: string, starts: Int32Array, end: number): void {
  const ascends = starts.every((start, index) => index === 0 || start >= starts[index - 1]!);
  if (starts[0] === 0 && starts.at(-1) === end && ascends) return;
  throw flourError('ERR_FLOUR_PARAM', {
    expected: `ascending starts from 0 to ${end}`,
    received: 'starts in another order or range',
    at,
  });
}

/**
 * Returns the value if it is an integer from `least` to `most`.
 *
 * @throws ERR_FLOUR_PARAM unless the value is an integer in the range.
 */
export function integerIn(at: string, name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw flourError('ERR_FLOUR_PARAM', { expected: `${name} from ${least} to ${most}`, received: shown(value), at });
}

/**
 * Returns the index of a value in a list.
 *
 * @throws ERR_FLOUR_PARAM unless the list holds the value.
 */
export function placeOf(at: string, name: string, value: unknown, list: readonly string[]): number {
  const place = list.indexOf(value as string);
  if (place >= 0) return place;
  throw flourError('ERR_FLOUR_PARAM', { expected: `${name}: ${list.join(', ')}`, received: shown(value), at });
}

/**
 * Transposes a matrix with `rows` rows of `columns` numbers. Model files store the weights of each
 * output together, but kernels read the weights of each feature together.
 */
export function transposed<A extends Float32Array | Float64Array>(values: A, rows: number, columns: number): A {
  const turned = values.slice() as A;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = values[row * columns + column]!;
  }
  return turned;
}

/** Returns the bits of a float32 as an integer, because attributes of kernels are integers. */
export const floatBits = (value: number): number => new Int32Array(Float32Array.of(value).buffer)[0]!;
