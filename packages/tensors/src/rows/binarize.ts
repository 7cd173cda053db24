import { type DenseBlock, dense, numericArray, type ReferenceKernel } from '@brezel/core';

export const binarizeRows: ReferenceKernel = ({ rows, inputs, parameters }) => {
  const block = inputs[0] as DenseBlock;
  const limit = (parameters.threshold as { data: Float32Array }).data[0]!;
  const values = numericArray(block.dtype, block.values.length);
  block.values.forEach((value: number | bigint, at: number) => {
    const bit = Number(value) > limit ? 1 : 0;
    values[at] = (block.dtype === 'int64' ? BigInt(bit) : bit) as never;
  });
  return dense(block.dtype, rows, block.size, values);
};
