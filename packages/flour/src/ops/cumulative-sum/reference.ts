import { type DenseBlock, dense, numericArray, type ReferenceKernel } from '@brezel/core';

/** Each sum is the one before it with one more element, stored and so rounded or wrapped around. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size, dtype } = inputs[0] as DenseBlock;
  const isBig = dtype === 'int64';
  const sums = numericArray(dtype, rows * size) as { [at: number]: number | bigint };
  const place = (row: number, step: number) => row * size + (attributes.reverse === true ? size - 1 - step : step);
  for (let row = 0; row < rows; row++) {
    for (let step = 0; step < size; step++) {
      const to = place(row, step);
      if (step === 0) {
        sums[to] = attributes.exclusive === true ? (isBig ? 0n : 0) : values[to]!;
        continue;
      }
      const before = place(row, step - 1);
      const next = values[attributes.exclusive === true ? before : to]!;
      sums[to] = ((sums[before] as number) + (next as number)) as never;
    }
  }
  return dense(dtype, rows, size, sums as never);
};
