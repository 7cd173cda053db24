import { type DenseBlock, dense, type ReferenceKernel, type SparseBlock } from '@brezel/core';
import { rowProducts } from '@brezel/tensors';

/**
 * Adds the products `value * weight` of each input in the order of its entries, with the partial
 * sums of native/README.md section 1. Then adds the sums of all inputs from left to right, and
 * finally the bias.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, parameters }) => {
  const bias = (parameters.bias as { data: Float32Array }).data;
  const outputs = bias.length;
  const values = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const total = values.subarray(row * outputs, (row + 1) * outputs);
    inputs.forEach((input, branch) => {
      const weights = (parameters[`weights${branch}`] as { data: Float32Array }).data;
      const sum = rowProducts(input as SparseBlock | DenseBlock<'float32'>, row, weights, outputs);
      for (let output = 0; output < outputs; output++)
        total[output] = branch === 0 ? sum[output]! : total[output]! + sum[output]!;
    });
    for (let output = 0; output < outputs; output++) total[output] = total[output]! + bias[output]!;
  }
  return dense('float32', rows, type.kind === 'vector' ? type.size : 1, values);
};
