import {
  type DenseBlock,
  dense,
  type NumericParameter,
  numericArray,
  type ReferenceKernel,
  RowError,
  sizeOf,
} from '@brezel/core';

/**
 * Reads entries of a table at the indices of a row. A negative index counts from the end. An index
 * out of range rejects the row.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters, type }) => {
  const { outer, entries, block } = attributes as { outer: number; entries: number; block: number };
  const indices = inputs.at(-1) as DenseBlock<'int64'>;
  const table = parameters.table as NumericParameter | undefined;
  const source = table?.data ?? (inputs[0] as DenseBlock).values;
  const stride = table === undefined ? outer * entries * block : 0;
  const { dtype } = type as { dtype: DenseBlock['dtype'] };
  const values = numericArray(dtype, rows * sizeOf(type));
  let to = 0;
  for (let row = 0; row < rows; row++) {
    const asked = indices.values.subarray(row * indices.size, (row + 1) * indices.size);
    const found = Array.from(asked, (index) => {
      const entry = index < 0n ? index + BigInt(entries) : index;
      if (entry >= 0n && entry < BigInt(entries)) return Number(entry);
      throw new RowError(row, { received: `index ${index} of ${entries} entries` });
    });
    for (let outside = 0; outside < outer; outside++) {
      for (const entry of found) {
        for (let at = 0; at < block; at++)
          values[to++] = source[row * stride + (outside * entries + entry) * block + at] as never;
      }
    }
  }
  return dense(dtype, rows, sizeOf(type), values as never);
};
