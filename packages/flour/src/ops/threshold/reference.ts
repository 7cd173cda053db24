import { type DenseBlock, dense, type ReferenceKernel } from '@brezel/core';

export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const limit = Math.fround(attributes.threshold as number);
  return dense(
    'int64',
    rows,
    1,
    BigInt64Array.from([...(inputs[0] as DenseBlock<'float32'>).values].map((score) => (score > limit ? 1n : 0n))),
  );
};
