import { type DenseBlock, dense, type NumericDType, numericArray, type ReferenceKernel } from '@brezel/core';
import { castElement } from '@brezel/tensors';

/**
 * Converts the element type. A float becomes an integer by truncation; numbers outside the range
 * become the least or greatest integer, and NaN becomes the least integer, as in onnxruntime. A
 * cast from int64 to int32 takes the low 32 bits. A bool is true for every value except zero. Other
 * casts are exact or round to nearest.
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
