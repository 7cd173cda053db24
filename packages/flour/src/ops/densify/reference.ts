import { dense, type ReferenceKernel, type SparseBlock } from '@brezel/core';
import { entriesOf } from '@brezel/tensors';

export const reference: ReferenceKernel = ({ rows, inputs }) => {
  const block = inputs[0] as SparseBlock;
  const values = new Float32Array(rows * block.size);
  for (let row = 0; row < rows; row++)
    for (const [id, value] of entriesOf(block, row)) values[row * block.size + id] = value;
  return dense('float32', rows, block.size, values);
};
