import { type DenseBlock, dense, type ReferenceKernel } from '@brezel/core';

/** The first greatest; a NaN is never greater. */
export const reference: ReferenceKernel = ({ rows, inputs }) => {
  const { values, size } = inputs[0] as DenseBlock;
  const best = new BigInt64Array(rows);
  for (let row = 0; row < rows; row++) {
    let most = 0;
    for (let column = 1; column < size; column++)
      if (values[row * size + column]! > values[row * size + most]!) most = column;
    best[row] = BigInt(most);
  }
  return dense('int64', rows, 1, best);
};
