import { type DenseBlock, LaneSum, type SparseBlock } from '@brezel/core';

/**
 * Multiplies one row by a feature-major matrix `[features, outputs]`: one sum per output over the
 * row's entries in order, `value * weight`, in the lanes of native/README.md section 1. Matrix
 * operators share it.
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
