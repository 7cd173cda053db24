import type { DenseBlock, ReferenceKernel } from '@brezel/core';
import { sizeOf } from '@brezel/core';
import { SparseRows } from '@brezel/tensors';

/**
 * Sets column `c * categories + index` to 1 for each index in input column `c`. An index outside
 * the categories sets no column.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes }) => {
  const { values, size } = inputs[0] as DenseBlock<'int64'>;
  const categories = attributes.categories as number;
  const out = new SparseRows(sizeOf(type));
  for (let row = 0; row < rows; row++) {
    const places = Array.from(values.subarray(row * size, (row + 1) * size), Number);
    out.push(
      places.flatMap((place, column) =>
        place >= 0 && place < categories ? [[column * categories + place, 1] as const] : [],
      ),
    );
  }
  return out.finish();
};
