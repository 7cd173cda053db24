import type { ParameterValue } from '@brezel/core';
import { storeError } from './errors.js';

/** A parameter of strings. */
export type StringParameter = Extract<ParameterValue, { dtype: 'string' }>;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The encoded bytes of parameters that `encodedStrings` has returned. */
const encodedBytes = new WeakMap<StringParameter, Uint8Array>();

/**
 * Returns a parameter with these encoded strings. The strings are decoded when `values` is first
 * read, so code that needs only the bytes never creates strings. Never write to the bytes
 * afterwards.
 *
 * Cost: O(strings), to check the offsets.
 *
 * @param isChecked Whether the addon returned the bytes, so that they need no check.
 * @throws ERR_STORE_VALUE if the number of encoded strings differs from the number of elements in
 * the shape.
 */
export function encodedStrings(bytes: Uint8Array, shape: readonly number[], isChecked = false): StringParameter {
  const count = shape.reduce((product, size) => product * size, 1);
  if (!isChecked) checkStrings(bytes, count);
  let decoded: readonly string[] | undefined;
  const value: StringParameter = {
    dtype: 'string',
    shape,
    get values() {
      decoded ??= decodeStrings(bytes, count);
      return decoded;
    },
  };
  encodedBytes.set(value, bytes);
  return value;
}

/**
 * Returns whether `bytesOfStrings` returns existing bytes for this parameter and does not need to
 * encode strings.
 */
export const isEncoded = (value: StringParameter): boolean => encodedBytes.has(value);

/** Returns the number of strings without decoding them. */
export function countOfStrings(value: StringParameter): number {
  const bytes = encodedBytes.get(value);
  return bytes === undefined ? value.values.length : viewOf(bytes).getUint32(0, true);
}

/**
 * Returns strings as the store encodes them: u32 count, u32 offsets[count + 1], then the UTF-8
 * bytes. The offsets are positions in the UTF-8 bytes. A lone surrogate becomes U+FFFD.
 */
export function bytesOfStrings(value: StringParameter): Uint8Array {
  return encodedBytes.get(value) ?? encodeStrings(value.values);
}

/** Returns how many bytes precede the UTF-8 bytes in the encoding of `count` strings. */
export const headOfStrings = (count: number): number => 4 + 4 * (count + 1);

function encodeStrings(values: readonly string[]): Uint8Array {
  const head = headOfStrings(values.length);
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

/**
 * Checks encoded strings, which may come from a file. It compares their count with the length of
 * the bytes, so that no code allocates memory for a wrong count.
 */
function checkStrings(bytes: Uint8Array, expected: number): void {
  const view = viewOf(bytes);
  const count = bytes.length < 8 ? -1 : view.getUint32(0, true);
  const head = headOfStrings(count);
  const offset = (index: number) => head + view.getUint32(4 + 4 * index, true);
  if (count !== expected || head > bytes.length || offset(count) !== bytes.length || offset(0) !== head)
    throw storeError('ERR_STORE_VALUE', {
      expected: `${expected} strings`,
      received: 'a string table with another count or size',
    });
  for (let index = 0, start = 0; index < count; index++) {
    const end = view.getUint32(8 + 4 * index, true);
    if (start > end) throw storeError('ERR_STORE_VALUE', { received: `string ${index} ends before it starts` });
    start = end;
  }
}

function decodeStrings(bytes: Uint8Array, count: number): string[] {
  const view = viewOf(bytes);
  const head = headOfStrings(count);
  const offset = (index: number) => head + view.getUint32(4 + 4 * index, true);
  // slice, not subarray, because TextDecoder rejects views of shared memory
  return Array.from({ length: count }, (_, index) => decoder.decode(bytes.slice(offset(index), offset(index + 1))));
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);
