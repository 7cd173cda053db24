import { type Block, type DenseBlock, dense, numericArray, type ReferenceKernel, strings } from '@brezel/core';

/** The entry of a table under the row's index; an index outside the table is clamped to it. */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }): Block => {
  const table = parameters.table!;
  const last = (table.dtype === 'string' ? table.values.length : table.data.length) - 1;
  const at = Array.from((inputs[0] as DenseBlock<'int64'>).values, (index) =>
    Math.min(Math.max(Number(index), 0), last),
  );
  if (table.dtype === 'string')
    return strings(
      rows,
      1,
      at.map((index) => table.values[index]!),
    );
  const values = numericArray(table.dtype, rows);
  at.forEach((index, row) => {
    values[row] = table.data[index]! as never;
  });
  return dense(table.dtype, rows, 1, values);
};
