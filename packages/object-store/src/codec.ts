import {
  bytesPerElement,
  type DType,
  type NumericDType,
  type NumericParameter,
  numericArray,
  type ParameterValue,
} from '@brezel/core';
import { storeError } from './errors.js';
import { bytesOfStrings, countOfStrings, encodedStrings } from './strings.js';

/**
 * Returns the bytes of a parameter: numbers as little-endian elements, strings as a string table.
 */
export function encodeParameter(value: ParameterValue): Uint8Array {
  const count = elements(value.shape);
  const received = value.dtype === 'string' ? countOfStrings(value) : value.data.length;
  if (count !== received || !value.shape.every((size) => Number.isInteger(size) && size >= 0)) {
    throw storeError('ERR_STORE_VALUE', {
      expected: `${count} elements for shape [${value.shape.join(', ')}]`,
      received: `${received}`,
    });
  }
  if (value.dtype === 'string') return bytesOfStrings(value);
  return new Uint8Array(value.data.buffer, value.data.byteOffset, value.data.byteLength);
}

/**
 * Decodes stored bytes to the value of a parameter. If `isCopy` is true, no other code uses the
 * bytes, so the returned numbers are a view of them.
 */
export function decodeParameter(
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
  isCopy = false,
): ParameterValue {
  if (dtype === 'string') return encodedStrings(bytes, shape);
  const own = isCopy && bytes.byteOffset === 0 ? bytes : bytes.slice();
  const type = numericArray(dtype as NumericDType, 0).constructor as new (
    buffer: ArrayBufferLike,
    offset: number,
    length: number,
  ) => never;
  return { dtype, shape, data: new type(own.buffer, 0, bytes.length / bytesPerElement(dtype)) } as NumericParameter;
}

const elements = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
