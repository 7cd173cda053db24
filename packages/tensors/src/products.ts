import type { DenseBlock } from '@brezel/core';
import type { TensorCall } from './define.js';
import { isBig, isFloat, roundTo } from './elements.js';
import { takeWork } from './images.js';
import { type BigIntData, type NumberData, type Numeric, newData, tensorOf } from './inputs.js';
import { canRun, runKernel } from './kernels.js';
import { rowProducts } from './shared/row-products.js';
import type { NumericElement } from './tensor.js';

/**
 * A batch of matrix products. `left` and `right` return the index of the first element of each
 * product's matrices.
 */
export interface MatrixProducts {
  readonly batches: number;
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly left: (batch: number) => number;
  readonly right: (batch: number) => number;
  /**
   * Whether the matrices on the right are stored transposed. For kernels only: check `canMultiply`
   * first.
   */
  readonly isTransposed?: boolean;
}

type Multiply = (left: Numeric, right: Numeric, out: NumberData & BigIntData, at: Ranges) => void;
interface Ranges {
  readonly left: number;
  readonly right: number;
  readonly out: number;
  readonly inner: number;
  readonly columns: number;
}

/**
 * Multiplies one float32 row by a matrix. Adds the products in the same order as the row operators
 * `dense` and `linear`, so the sums have the same bits.
 */
const inLanes: Multiply = (left, right, out, at) => {
  const values = (left.data as Float32Array).subarray(at.left, at.left + at.inner);
  const weights = (right.data as Float32Array).subarray(at.right, at.right + at.inner * at.columns);
  const row: DenseBlock<'float32'> = { kind: 'dense', dtype: 'float32', rows: 1, size: at.inner, values };
  (out as unknown as Float32Array).set(rowProducts(row, 0, weights, at.columns), at.out);
};

/**
 * Multiplies one row by a matrix. Adds the products in order, and rounds or wraps the sum after
 * each addition.
 */
const inOrder =
  <T extends number | bigint>(multiplyAdd: (sum: T, a: T, b: T) => T): Multiply =>
  (left, right, out, at) => {
    const [a, b, sums] = [left.data, right.data, out] as unknown as [T[], T[], T[]];
    for (let inner = 0; inner < at.inner; inner++) {
      for (let column = 0; column < at.columns; column++)
        sums[at.out + column] = multiplyAdd(
          sums[at.out + column]!,
          a[at.left + inner]!,
          b[at.right + inner * at.columns + column]!,
        );
    }
  };

function multiplier(element: NumericElement): Multiply {
  if (isBig(element)) return inOrder<bigint>((sum, a, b) => sum + a * b);
  if (element === 'float64') return inOrder<number>((sum, a, b) => sum + a * b);
  return isFloat(element) ? inLanes : inOrder<number>((sum, a, b) => sum + Math.imul(a, b));
}

/** Element types with kernels for products. 16-bit floats are stored as float32. */
const fast: readonly NumericElement[] = ['float32', 'float64', 'float16', 'bfloat16', 'int32'];

/** Returns whether a kernel multiplies matrices of an element type. */
export const canMultiply = (call: TensorCall, element: NumericElement): boolean =>
  canRun(call, 0) && fast.includes(element);

/**
 * Multiplies with a kernel, and returns whether it did. Left matrices with the same right matrix
 * are multiplied together, as one matrix.
 */
function productsByKernel(call: TensorCall, left: Numeric, right: Numeric, out: object, plan: MatrixProducts): boolean {
  const { rows, inner, columns } = plan;
  if (!canMultiply(call, left.element)) return false;
  const matricesOf = (startOf: (batch: number) => number, size: number) =>
    Int32Array.from({ length: plan.batches }, (_, batch) => (size === 0 ? 0 : startOf(batch) / size));
  const [lefts, rights] = [matricesOf(plan.left, rows * inner), matricesOf(plan.right, inner * columns)];
  const isOne = lefts.every((at, batch) => at === lefts[0]! + batch) && rights.every((at) => at === rights[0]);
  const whole = isOne && lefts[0] === 0;
  const sizes = whole ? [1, plan.batches * rows, inner, columns] : [plan.batches, rows, inner, columns];
  const numbers = [...sizes, plan.isTransposed ? 1 : 0];
  const [leftAt, rightAt] = whole ? [lefts.subarray(0, 1), rights.subarray(0, 1)] : [lefts, rights];
  return runKernel(call, 'mat_mul', [out, left.data, right.data, leftAt, rightAt], numbers);
}

/**
 * Multiplies row-major matrices of one type, batch by batch. Sums of 16-bit floats are computed in
 * float32.
 */
export function matrixProducts(
  call: TensorCall,
  left: Numeric,
  right: Numeric,
  shape: readonly number[],
  plan: MatrixProducts,
): Numeric {
  const { element } = left;
  const { rows, inner, columns } = plan;
  takeWork(call, plan.batches * rows * inner * columns);
  const out = newData(call, element, shape) as NumberData & BigIntData;
  if (out.length > 0 && productsByKernel(call, left, right, out, plan))
    return tensorOf(element, shape, roundTo(element, out as NumberData)) as Numeric;
  const multiply = multiplier(element);
  const batches = call.onlyShapes || out.length === 0 ? 0 : plan.batches;
  for (let batch = 0; batch < batches; batch++) {
    for (let row = 0; row < rows; row++) {
      multiply(left, right, out, {
        left: plan.left(batch) + row * inner,
        right: plan.right(batch),
        out: (batch * rows + row) * columns,
        inner,
        columns,
      });
    }
  }
  return tensorOf(element, shape, roundTo(element, out as NumberData)) as Numeric;
}
