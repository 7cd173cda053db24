import { type DenseBlock, dense, numericArray, type ReferenceKernel, type StringBlock } from '@brezel/core';

/**
 * Hashes the bytes of each element: the UTF-8 bytes of a text, or the little-endian bytes of a
 * number.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const block = inputs[0] as StringBlock | DenseBlock;
  const seed = attributes.seed as number;
  const hashes = Array.from({ length: block.values.length }, (_, at) => hash(bytesOf(block, at), seed));
  if (attributes.signed === true) return dense('int32', rows, block.size, Int32Array.from(hashes));
  return dense(
    'int64',
    rows,
    block.size,
    BigInt64Array.from(hashes, (value) => BigInt(value >>> 0)),
  );
};

function bytesOf(block: StringBlock | DenseBlock, at: number): Uint8Array {
  if (block.kind === 'strings') return new TextEncoder().encode(block.values[at]);
  const one = numericArray(block.dtype, 1);
  one[0] = block.values[at]! as never;
  return new Uint8Array(one.buffer as ArrayBuffer);
}

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));

/** Computes MurmurHash3_x86_32, as an int32. */
function hash(bytes: Uint8Array, seed: number): number {
  const mixed = (k: number) => Math.imul(rotate(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks = bytes.length >> 2;
  let h = seed | 0;
  for (let at = 0; at < blocks; at++) {
    h ^= mixed(view.getInt32(at * 4, true));
    h = (Math.imul(rotate(h, 13), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= blocks * 4; at--) tail = (tail << 8) | bytes[at]!;
  h ^= mixed(tail); // without a tail this is 0, which has no effect
  h ^= bytes.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
