import { type DenseBlock, dense, numericArray, type ReferenceKernel } from '@brezel/core';
import { accumulator, floatOperations, integerOperations } from '@brezel/tensors';

/** Applies the tensor operator CumSum to each row. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { values, size, dtype } = inputs[0] as DenseBlock;
  const sums = numericArray(dtype, rows * size);
  const order = Array.from({ length: size }, (_, at) => (attributes.reverse === true ? size - 1 - at : at));
  const isExclusive = attributes.exclusive === true;
  const accumulate =
    dtype === 'int64'
      ? accumulator(values as BigInt64Array, sums as BigInt64Array, 0n, integerOperations.add, isExclusive)
      : accumulator(values as Float64Array, sums as Float64Array, 0, floatOperations.add, isExclusive);
  for (let row = 0; row < rows; row++) accumulate(row * size, order);
  return dense(dtype, rows, size, sums as never);
};
