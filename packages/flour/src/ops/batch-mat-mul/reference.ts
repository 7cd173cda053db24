import {
  type DenseBlock,
  dense,
  dtypeOf,
  LaneSum,
  type NumericArray,
  type NumericParameter,
  numericArray,
  type ReferenceKernel,
  sizeOf,
} from '@brezel/core';
import { batchCount, type MatrixBatches, matrixOf, readBatches } from './plan.js';

type Products = 'float32' | 'float64' | 'int64' | 'int32';

/** The elements of one operand, and a function that returns where the elements of a row start. */
interface Operand {
  readonly values: NumericArray;
  at(row: number): number;
}

/**
 * Multiplies one row of the left matrix, from index `from`, by the right matrix, from index `at`.
 * Writes the sums to `out`.
 */
type MultiplyRow = (left: NumericArray, from: number, right: NumericArray, at: number, out: NumericArray) => void;

/**
 * Returns a function that multiplies one row of the left matrix by the right matrix. Float32 sums
 * have the order of `LaneSum`. Other sums run in order from +0, and integer sums wrap around.
 */
function multiplier(dtype: Products, { inner, columns }: MatrixBatches): MultiplyRow {
  if (dtype === 'float32')
    return (left, from, right, at, out) => {
      const sum = new LaneSum(columns);
      for (let term = 0; term < inner; term++)
        sum.addProducts(left[from + term] as number, right as Float32Array, at + term * columns);
      (out as Float32Array).set(sum.finish());
    };
  const multiplyAdd = {
    float64: (sum: number, a: number, b: number) => sum + a * b,
    int64: (sum: bigint, a: bigint, b: bigint) => sum + a * b,
    int32: (sum: number, a: number, b: number) => sum + Math.imul(a, b),
  }[dtype] as (sum: unknown, a: unknown, b: unknown) => never;
  return (left, from, right, at, out) => {
    for (let term = 0; term < inner; term++) {
      for (let column = 0; column < columns; column++)
        out[column] = multiplyAdd(out[column], left[from + term], right[at + term * columns + column]);
    }
  };
}

/** Multiplies the matrices of each row. The sums have the order of the tensor operator MatMul. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters, type }) => {
  const plan = readBatches(attributes);
  const [dtype, size] = [dtypeOf(type) as Products, sizeOf(type)];
  let next = 0;
  const operand = (name: 'left' | 'right'): Operand => {
    const constant = parameters[name] as NumericParameter | undefined;
    if (constant !== undefined) return { values: constant.data, at: () => 0 };
    const block = inputs[next++] as DenseBlock<Products>;
    return { values: block.values, at: (row) => row * block.size };
  };
  const [left, right] = [operand('left'), operand('right')];
  const multiply = multiplier(dtype, plan);
  const out = numericArray(dtype, rows * size);
  let to = 0;
  for (let row = 0; row < rows; row++) {
    for (let batch = 0; batch < batchCount(plan); batch++) {
      const from = left.at(row) + matrixOf(plan, plan.left, batch) * plan.rows * plan.inner;
      const at = right.at(row) + matrixOf(plan, plan.right, batch) * plan.inner * plan.columns;
      for (let line = 0; line < plan.rows; line++, to += plan.columns)
        multiply(left.values, from + line * plan.inner, right.values, at, out.subarray(to, to + plan.columns));
    }
  }
  return dense(dtype, rows, size, out as never);
};
