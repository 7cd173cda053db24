import {
  type DenseBlock,
  dense,
  dtypeOf,
  type NumericParameter,
  numericArray,
  type ReferenceKernel,
  sizeOf,
} from '@brezel/core';

type Products = 'float64' | 'int64' | 'int32';

const addProduct = {
  float64: (sum: number, a: number, b: number) => sum + a * b,
  int64: (sum: bigint, a: bigint, b: bigint) => sum + a * b,
  int32: (sum: number, a: number, b: number) => sum + Math.imul(a, b),
} as const;

/**
 * Multiplies each row by the matrix. As in the tensor operator MatMul, each sum runs in index order
 * from +0, and integer sums wrap around.
 */
export const reference: ReferenceKernel = ({ rows, inputs, parameters, type }) => {
  const { values, size } = inputs[0] as DenseBlock<Products>;
  const { data } = parameters.weights as NumericParameter;
  const columns = sizeOf(type);
  const dtype = dtypeOf(type) as Products;
  const add = addProduct[dtype] as (sum: unknown, a: unknown, b: unknown) => never;
  const sums = numericArray(dtype, rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let feature = 0; feature < size; feature++) {
      for (let column = 0; column < columns; column++) {
        const at = row * columns + column;
        sums[at] = add(sums[at], values[row * size + feature], data[feature * columns + column]);
      }
    }
  }
  return dense(dtype, rows, columns, sums as never);
};
