import { type DenseBlock, dense, type ReferenceKernel, type SparseBlock, sigmoid, sizeOf, tanh } from '@brezel/core';
import { rowProducts } from '@brezel/tensors';

/**
 * The activation functions of a layer. The kernel receives the index of a function. Results
 * are computed in float64, and rounded to float32 when they are stored.
 */
export const activations = {
  none: (x: number) => x,
  relu: (x: number) => (x > 0 || Number.isNaN(x) ? x : 0),
  tanh,
  sigmoid,
} as const;

/** Computes the sums of a linear model, adds the bias, and applies the activation. */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const weights = (parameters.weights as { data: Float32Array }).data;
  const bias = (parameters.bias as { data: Float32Array }).data;
  const activate = activations[attributes.activation as keyof typeof activations];
  const outputs = sizeOf(type);
  const values = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const sums = rowProducts(inputs[0] as SparseBlock | DenseBlock<'float32'>, row, weights, outputs);
    for (let output = 0; output < outputs; output++)
      values[row * outputs + output] = activate(Math.fround(sums[output]! + bias[output]!));
  }
  return dense('float32', rows, outputs, values);
};
