import {
  type Block,
  type DenseBlock,
  dense,
  numericArray,
  type ReferenceKernel,
  type SparseBlock,
  type StringBlock,
  strings,
} from '@brezel/core';
import { entriesOf, SparseRows } from '@brezel/tensors';

/**
 * Computes out[j] = in[columns[j]]. The entries of a sparse result have the order of the input's
 * entries.
 */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }): Block => {
  const columns = (parameters.columns as { data: Int32Array }).data;
  const block = inputs[0] as SparseBlock | DenseBlock | StringBlock;
  if (block.kind === 'sparse') {
    const place = new Map(Array.from(columns, (column, at) => [column, at]));
    const out = new SparseRows(columns.length);
    for (let row = 0; row < rows; row++) {
      out.push(
        [...entriesOf(block, row)]
          .filter(([id]) => place.has(id))
          .map(([id, value]) => [place.get(id)!, value] as const),
      );
    }
    return out.finish();
  }
  if (block.kind === 'strings') {
    const at = (row: number) => Array.from(columns, (column) => block.values[row * block.size + column]!);
    return strings(rows, columns.length, Array.from({ length: rows }, (_, row) => at(row)).flat());
  }
  const values = numericArray(block.dtype, rows * columns.length);
  for (let row = 0; row < rows; row++) {
    columns.forEach((column, at) => {
      values[row * columns.length + at] = block.values[row * block.size + column]!;
    });
  }
  return dense(block.dtype, rows, columns.length, values);
};
