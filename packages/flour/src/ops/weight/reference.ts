import type { DenseBlock, ReferenceKernel, SparseBlock } from '@brezel/core';

/** Multiplies each value by the weight of its column and rounds the product to float32. */
export const reference: ReferenceKernel = ({ inputs, parameters }) => {
  const weights = parameters.weights as { data: Float32Array };
  const block = inputs[0] as SparseBlock | DenseBlock<'float32'>;
  if (block.kind === 'sparse') {
    return { ...block, values: block.values.map((value, at) => value * weights.data[block.ids[at]!]!) };
  }
  return { ...block, values: block.values.map((value, at) => value * weights.data[at % block.size]!) };
};
