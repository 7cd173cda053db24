import {
  bytesPerElement,
  type DType,
  type NumericDType,
  type NumericParameter,
  numericArray,
  type ParameterValue,
} from '@brezel/core';
import { storeError } from './errors.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Returns the bytes of a parameter: numbers as little-endian elements, strings as a string table.
 */
export function encodeParameter(value: ParameterValue): Uint8Array {
  const count = elements(value.shape);
  const received = value.dtype === 'string' ? value.values.length : value.data.length;
  if (count !== received || !value.shape.every((size) => Number.isInteger(size) && size >= 0)) {
    throw storeError('ERR_STORE_VALUE', {
      expected: `${count} elements for shape [${value.shape.join(', ')}]`,
      received: `${received}`,
    });
  }
  if (value.dtype === 'string') return encodeStrings(value.values);
  return new Uint8Array(value.data.buffer, value.data.byteOffset, value.data.byteLength);
}

/**
 * Returns the value of stored bytes. `isCopy` means that no other code holds the bytes, so numbers
 * can be views on them.
 */
export function decodeParameter(
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
  isCopy = false,
): ParameterValue {
  if (dtype === 'string') return { dtype, shape, values: decodeStrings(bytes, elements(shape)) };
  const own = isCopy && bytes.byteOffset === 0 ? bytes : bytes.slice();
  const type = numericArray(dtype as NumericDType, 0).constructor as new (
    buffer: ArrayBufferLike,
    offset: number,
    length: number,
  ) => never;
  return { dtype, shape, data: new type(own.buffer, 0, bytes.length / bytesPerElement(dtype)) } as NumericParameter;
}

const elements = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

/**
 * Encodes a string table: u32 count, u32 offsets[count + 1], then the UTF-8 bytes that the offsets
 * point into.
 */
function encodeStrings(values: readonly string[]): Uint8Array {
  const head = 4 + 4 * (values.length + 1);
  let upperBound = 0;
  for (const value of values) upperBound += value.length * 3;
  const bytes = new Uint8Array(head + upperBound);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, values.length, true);
  let at = head;
  values.forEach((value, index) => {
    view.setUint32(4 + 4 * index, at - head, true);
    at += encoder.encodeInto(value, bytes.subarray(at)).written;
  });
  view.setUint32(4 + 4 * values.length, at - head, true);
  return bytes.slice(0, at);
}

function decodeStrings(bytes: Uint8Array, expected: number): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length < 8 ? -1 : view.getUint32(0, true);
  const head = 4 + 4 * (count + 1);
  const offset = (index: number) => head + view.getUint32(4 + 4 * index, true);
  // The bytes may come from a file: check them against the count before allocating for it.
  if (count !== expected || head > bytes.length || offset(count) !== bytes.length || offset(0) !== head)
    throw storeError('ERR_STORE_VALUE', {
      expected: `${expected} strings`,
      received: 'a string table with another count or size',
    });
  for (let index = 0; index < count; index++)
    if (offset(index) > offset(index + 1))
      throw storeError('ERR_STORE_VALUE', { received: `string ${index} ends before it starts` });
  // slice, not subarray: TextDecoder rejects views on shared memory
  return Array.from({ length: count }, (_, index) => decoder.decode(bytes.slice(offset(index), offset(index + 1))));
}
