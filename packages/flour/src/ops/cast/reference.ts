import { type DenseBlock, dense, type NumericDType, numericArray, type ReferenceKernel } from '@brezel/core';
import { castElement } from '@brezel/tensors';

/** float → integer truncates, saturates and sends NaN to the least, as processors do and so onnxruntime; int64 → int32 keeps the low bits; anything but zero is true; the rest is exact or rounds to nearest. */
export const reference: ReferenceKernel = ({ inputs, attributes }) => {
  const block = inputs[0] as DenseBlock;
  const to = attributes.to as NumericDType;
  const values = numericArray(to, block.values.length);
  block.values.forEach((value: number | bigint, at: number) => {
    values[at] = castElement(value, to) as never;
  });
  return dense(to, block.rows, block.size, values);
};
