import type { DictionaryBlock, ReferenceKernel } from '@brezel/core';
import { murmur3, SparseRows } from '@brezel/tensors';
import { featuresOf, inOrder } from '../dict-vectorizer/reference.js';

/**
 * Hashes features as scikit-learn does. The column is the absolute value of the signed hash (seed
 * 0), modulo the number of columns. With `alternateSign`, the value gets the sign of the hash.
 * Zeros are skipped. Values in the same column are added in float32, in the order of the entries.
 */
export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const { columns, alternateSign } = attributes as { columns: number; alternateSign: boolean };
  const encoder = new TextEncoder();
  const out = new SparseRows(columns);
  for (const entries of (inputs[0] as DictionaryBlock).values) {
    const row = new Map<number, number>();
    for (const [key, value] of entries)
      for (const [feature, number] of featuresOf(key, value, '=')) {
        if (number === 0) continue;
        const hash = murmur3(encoder.encode(feature), 0) | 0;
        const column = columnOf(hash, columns);
        const signed = alternateSign && hash < 0 ? -number : number;
        row.set(column, Math.fround((row.get(column) ?? 0) + Math.fround(signed)));
      }
    out.push(inOrder(row));
  }
  return out.finish();
};

/**
 * Returns the column of a hash. The absolute value of -2^31 is not a signed 32-bit integer, so
 * scikit-learn computes its column differently.
 */
function columnOf(hash: number, columns: number): number {
  if (hash === -(2 ** 31)) return (2 ** 31 - 1 - (columns - 1)) % columns;
  return Math.abs(hash) % columns;
}
