import { log, type ReferenceKernel, type SparseBlock } from '@brezel/core';

/** Computes 1 + log of each entry in float64 and rounds it once. */
export const reference: ReferenceKernel = ({ inputs }) => {
  const block = inputs[0] as SparseBlock;
  return { ...block, values: block.values.map((value) => 1 + log(value)) };
};
