import { type DenseBlock, dense, type NumericDType, numericArray, type ReferenceKernel } from '@brezel/core';
import { castElement } from '@brezel/tensors';

/**
 * Converts elements. A float that becomes an integer is truncated and saturates, and NaN becomes
 * the least integer, as in onnxruntime. An int64 that becomes an int32 keeps its low bits. Every
 * value except zero becomes true. Other casts are exact or round to nearest.
 */
export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const block = inputs[0] as DenseBlock;
  const to = attributes.to as NumericDType;
  const values = numericArray(to, block.values.length);
  block.values.forEach((value: number | bigint, at: number) => {
    values[at] = castElement(value, to) as never;
  });
  return dense(to, block.rows, block.size, values);
};
