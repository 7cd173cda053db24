import { type DenseBlock, exp, type ReferenceKernel } from '@brezel/core';

/**
 * Computes 1 / (1 + e^(slope * score + offset)) in float64, rounded once. All columns share one
 * slope and one offset, or each column has its own.
 */
export const reference: ReferenceKernel = ({ inputs, parameters }) => {
  const slopes = (parameters.slope as { data: Float64Array }).data;
  const offsets = (parameters.offset as { data: Float64Array }).data;
  const block = inputs[0] as DenseBlock<'float32'>;
  const values = block.values.map((score, at) => {
    const column = at % slopes.length;
    return 1 / (1 + exp(slopes[column]! * score + offsets[column]!));
  });
  return { ...block, values };
};
