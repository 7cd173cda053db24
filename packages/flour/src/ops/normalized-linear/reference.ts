import { type DenseBlock, dense, type ReferenceKernel, type SparseBlock } from '@brezel/core';
import { type Norm, normOf, rowOf, rowProducts } from '@brezel/tensors';

/**
 * Computes the weighted sum as `linear` does, divides it by the norm of the row, and adds the bias.
 * If the norm is 0, it does not divide.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const block = inputs[0] as SparseBlock | DenseBlock<'float32'>;
  const weights = (parameters.weights as { data: Float32Array }).data;
  const bias = (parameters.bias as { data: Float32Array }).data;
  const outputs = bias.length;
  const values = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const norm = normOf(rowOf(block, block.values, row), attributes.norm as Norm);
    const sum = rowProducts(block, row, weights, outputs);
    for (let output = 0; output < outputs; output++) {
      const scaled = norm === 0 ? sum[output]! : Math.fround(sum[output]! / norm);
      values[row * outputs + output] = scaled + bias[output]!;
    }
  }
  return dense('float32', rows, type.kind === 'vector' ? type.size : 1, values);
};
