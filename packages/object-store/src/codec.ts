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

/** Bytes of a parameter: numbers as little-endian elements, strings as a string table. */
export function encodeParameter(value: ParameterValue): Uint8Array {
  const count = value.shape.reduce((product, size) => product * size, 1);
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

export function decodeParameter(dtype: DType, shape: readonly number[], bytes: Uint8Array): ParameterValue {
  if (dtype === 'string') return { dtype, shape, values: decodeStrings(bytes) };
  const data = numericArray(dtype as NumericDType, bytes.length / bytesPerElement(dtype));
  new Uint8Array(data.buffer).set(bytes);
  return { dtype, shape, data } as NumericParameter;
}

/** String table: u32 count, u32 offsets[count + 1] into the UTF-8 bytes that follow. */
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

function decodeStrings(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const head = 4 + 4 * (count + 1);
  const offset = (index: number) => head + view.getUint32(4 + 4 * index, true);
  // slice, not subarray: TextDecoder refuses views on shared memory
  return Array.from({ length: count }, (_, index) => decoder.decode(bytes.slice(offset(index), offset(index + 1))));
}
