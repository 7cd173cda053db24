import { type DenseBlock, dense, type NumericParameter, type ReferenceKernel, sizeOf } from '@brezel/core';

/** Each sum in plain order from +0, in float64: the arithmetic of MatMul over whole tensors. */
export const reference: ReferenceKernel = ({ rows, inputs, parameters, type }) => {
  const { values, size } = inputs[0] as DenseBlock<'float64'>;
  const { data } = parameters.weights as NumericParameter;
  const columns = sizeOf(type);
  const sums = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let feature = 0; feature < size; feature++) {
      for (let column = 0; column < columns; column++)
        sums[row * columns + column]! += values[row * size + feature]! * Number(data[feature * columns + column]);
    }
  }
  return dense('float64', rows, columns, sums);
};
