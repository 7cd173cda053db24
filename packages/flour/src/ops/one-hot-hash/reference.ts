import type { DenseBlock, ReferenceKernel } from '@brezel/core';
import { murmur3, SparseRows } from '@brezel/tensors';

/**
 * Sets the column that the hash of a number selects. The hash reads the 8 bytes of the number,
 * little-endian.
 */
export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const { hashBits, seed } = attributes as { hashBits: number; seed: number };
  const rows = new SparseRows(2 ** hashBits);
  for (const value of (inputs[0] as DenseBlock<'int64'>).values) {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setBigInt64(0, value, true);
    rows.push([[murmur3(new Uint8Array(bytes.buffer), seed) % 2 ** hashBits, 1]]);
  }
  return rows.finish();
};
