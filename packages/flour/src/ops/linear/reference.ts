import { type DenseBlock, dense, LaneSum, type ReferenceKernel, type SparseBlock } from '@brezel/core';

/**
 * One sum a branch over its entries in order, `value * weight`, in the lanes of native/README.md section 1; then the branches
 * from left to right, then the bias.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, parameters }) => {
  const bias = (parameters.bias as { data: Float32Array }).data;
  const outputs = bias.length;
  const values = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const total = values.subarray(row * outputs, (row + 1) * outputs);
    inputs.forEach((input, branch) => {
      const weights = (parameters[`weights${branch}`] as { data: Float32Array }).data;
      const sum = branchSum(input as SparseBlock | DenseBlock<'float32'>, row, weights, outputs);
      for (let output = 0; output < outputs; output++)
        total[output] = branch === 0 ? sum[output]! : total[output]! + sum[output]!;
    });
    for (let output = 0; output < outputs; output++) total[output] = total[output]! + bias[output]!;
  }
  return dense('float32', rows, type.kind === 'vector' ? type.size : 1, values);
};

function branchSum(
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
