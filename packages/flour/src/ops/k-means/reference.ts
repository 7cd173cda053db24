import { type DenseBlock, dense, type ReferenceKernel } from '@brezel/core';

const { fround } = Math;

/**
 * Computes squared distances as exporters write them: |c|^2 + (|x|^2 + x·(-2 c)). The sum |x|^2 is
 * computed in float32 in index order. The product x·(-2 c) adds exact products (in float64), and
 * rounds the sum to float32 after each term, as the matrix kernels of onnxruntime do. Near a
 * center, another order would give other answers. The result may be slightly below zero.
 */
export const reference: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const weights = (parameters.weights as { data: Float32Array }).data;
  const norms = (parameters.norms as { data: Float32Array }).data;
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const clusters = norms.length;
  const out = new Float32Array(rows * clusters);
  for (let row = 0; row < rows; row++) {
    const features = values.subarray(row * size, (row + 1) * size);
    const square = features.reduce((sum, value) => fround(sum + fround(value * value)), 0);
    for (let cluster = 0; cluster < clusters; cluster++) {
      const product = features.reduce(
        (sum, value, feature) => fround(sum + value * weights[feature * clusters + cluster]!),
        0,
      );
      out[row * clusters + cluster] = norms[cluster]! + fround(square + product);
    }
  }
  return dense('float32', rows, clusters, out);
};
