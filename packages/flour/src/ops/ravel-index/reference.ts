import { type DenseBlock, dense, type ReferenceKernel, RowError } from '@brezel/core';

/**
 * Converts each tuple of indices to one index of the flattened array. A negative index counts from
 * the end. An index out of range rejects the row.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { sizes, strides } = attributes as { sizes: readonly number[]; strides: readonly number[] };
  const indices = inputs[0] as DenseBlock<'int64'>;
  const count = indices.size / sizes.length;
  const places = BigInt64Array.from({ length: rows * count }, (_, tuple) => {
    const place = sizes.reduce((sum, size, axis) => {
      const index = Number(indices.values[tuple * sizes.length + axis]);
      const entry = index < 0 ? index + size : index;
      if (entry >= 0 && entry < size) return sum + entry * strides[axis]!;
      throw new RowError(Math.floor(tuple / count), { received: `index ${index} of ${size} entries` });
    }, 0);
    return BigInt(place);
  });
  return dense('int64', rows, count, places);
};
