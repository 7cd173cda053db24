import { type DenseBlock, LaneSum, type SparseBlock } from '@brezel/core';

/**
 * Multiplies one row by a matrix `[features, outputs]`. Each output is the sum of `value * weight`
 * over the entries of the row, in the lanes that native/README.md section 1 defines. The reference
 * implementations of the row operators with matrix products use this function.
 */
export function rowProducts(
  block: SparseBlock | DenseBlock<'float32'>,
  row: number,
  weights: Float32Array,
  outputs: number,
): Float32Array {
  const sum = new LaneSum(outputs);
  if (block.kind === 'sparse') {
    for (let at = block.offsets[row]!; at < block.offsets[row + 1]!; at++)
      sum.addProducts(block.values[at]!, weights, block.ids[at]! * outputs);
  } else {
    for (let column = 0; column < block.size; column++)
      sum.addProducts(block.values[row * block.size + column]!, weights, column * outputs);
  }
  return sum.finish();
}
