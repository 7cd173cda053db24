import { type Block, type DenseBlock, dense, numericArray, type ReferenceKernel, strings } from '@brezel/core';

/**
 * Returns the entry of a table at each index. An index outside the table selects the first or the
 * last entry.
 */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }): Block => {
  const table = parameters.table!;
  const last = (table.dtype === 'string' ? table.values.length : table.data.length) - 1;
  const block = inputs[0] as DenseBlock<'int64'>;
  const at = Array.from(block.values, (index) => Math.min(Math.max(Number(index), 0), last));
  if (table.dtype === 'string')
    return strings(
      rows,
      block.size,
      at.map((index) => table.values[index]!),
    );
  const values = numericArray(table.dtype, at.length);
  at.forEach((index, place) => {
    values[place] = table.data[index]! as never;
  });
  return dense(table.dtype, rows, block.size, values);
};
