import { LaneSum } from '@brezel/core';
import type { OperatorSteps, TensorCall } from './define.js';
import { isBig, isFloat, roundTo } from './elements.js';
import { takeWork } from './images.js';
import { type BigIntData, type NumberData, type Numeric, newData, tensorOf } from './inputs.js';
import { canRun, MOST_ELEMENTS, runKernel } from './kernels.js';
import { blockOf, forEachIndex, inBlocks } from './pauses.js';
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
 * Returns the function that multiplies one row of floats of 32 or 16 bits by a matrix. It adds the
 * products in the same order as the row operators `dense` and `linear`, so the sums have the same
 * bits.
 */
function inLanes(columns: number): Multiply {
  const sum = new LaneSum(columns); // for all rows, because creating it would take most of the time
  return (left, right, out, at) => {
    const [values, weights] = [left.data, right.data] as [Float32Array, Float32Array];
    sum.clear();
    for (let inner = 0; inner < at.inner; inner++)
      sum.addProducts(values[at.left + inner]!, weights, at.right + inner * columns);
    (out as unknown as Float32Array).set(sum.finish(), at.out);
  };
}

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

function multiplier(element: NumericElement, columns: number): Multiply {
  if (isBig(element)) return inOrder<bigint>((sum, a, b) => sum + a * b);
  if (element === 'float64') return inOrder<number>((sum, a, b) => sum + a * b);
  return isFloat(element) ? inLanes(columns) : inOrder<number>((sum, a, b) => sum + Math.imul(a, b));
}

/** Element types with kernels for products. 16-bit floats are stored as float32. */
const fast: readonly NumericElement[] = ['float32', 'float64', 'float16', 'bfloat16', 'int32'];

/** Returns whether a kernel multiplies matrices of an element type. */
export const canMultiply = (call: TensorCall, element: NumericElement): boolean =>
  canRun(call, 0) && fast.includes(element);

/**
 * An operator that may pause calls the kernel several times. Each call makes about this many
 * multiplications, which take about 0.2 ms.
 */
const PRODUCTS = 2 ** 22;
/**
 * A kernel call multiplies at least this many rows, because the kernel rearranges the right matrix
 * in each call.
 */
const LEAST_ROWS = 128;

/** Beginning a row without a kernel takes about as long as this many multiplications. */
const ROW_PRODUCTS = 64;
/** Beginning a product of two matrices takes about as long as this many multiplications. */
const MATRIX_PRODUCTS = 2 ** 10;

/** Indices of matrices in `left` and `right`, and the number of rows of the left matrices. */
interface MatrixList {
  readonly rows: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/**
 * Returns the matrices to multiply. Left matrices with the same right matrix are multiplied
 * together, as one matrix.
 */
function* matricesOf(
  call: TensorCall,
  { batches, rows, inner, columns, left, right }: MatrixProducts,
): OperatorSteps<MatrixList> {
  const [lefts, rights] = [new Int32Array(batches), new Int32Array(batches)];
  const [leftSize, rightSize] = [Math.max(rows * inner, 1), Math.max(inner * columns, 1)];
  let isOne = true;
  yield* forEachIndex(call, batches, (batch) => {
    lefts[batch] = left(batch) / leftSize;
    rights[batch] = right(batch) / rightSize;
    isOne &&= lefts[batch] === batch && rights[batch] === rights[0];
  });
  if (!isOne) return { rows, left: lefts, right: rights };
  return { rows: batches * rows, left: lefts.subarray(0, 1), right: rights.subarray(0, 1) };
}

/**
 * Multiplies with a kernel, and returns whether it did. Without pauses, one call of the kernel
 * computes everything. With pauses, a call computes several small products or some rows of a
 * product.
 */
function* byKernel(
  call: TensorCall,
  left: Numeric,
  right: Numeric,
  out: NumberData & BigIntData,
  plan: MatrixProducts,
): OperatorSteps<boolean> {
  if (!canMultiply(call, left.element) || [left.data, right.data, out].some(isTooLong)) return false;
  const { inner, columns, isTransposed = false } = plan;
  const { rows, left: lefts, right: rights } = yield* matricesOf(call, plan);
  const [from, to] = [left.data, out] as unknown as [Float64Array, Float64Array];
  const multiply = (first: number, batches: number, row: number, count: number) =>
    runKernel(
      call,
      'mat_mul',
      [
        to.subarray((first * rows + row) * columns, ((first + batches - 1) * rows + row + count) * columns),
        count === rows ? from : from.subarray((lefts[first]! * rows + row) * inner),
        right.data,
        count === rows ? lefts.subarray(first, first + batches) : FIRST,
        rights.subarray(first, first + batches),
      ],
      [batches, count, inner, columns, isTransposed ? 1 : 0],
    );
  const most = call.isOver === undefined ? Number.POSITIVE_INFINITY : PRODUCTS;
  const rowsOfCall = Math.min(rows, Math.max(LEAST_ROWS, Math.floor(most / (inner * columns))));
  const ofBatch = rows * inner * columns + MATRIX_PRODUCTS;
  const batchesOfCall = Math.min(lefts.length, Math.max(1, Math.floor(most / ofBatch)));
  for (let batch = 0; batch < lefts.length; batch += batchesOfCall) {
    const batches = Math.min(batchesOfCall, lefts.length - batch);
    if (batches > 1 || rowsOfCall === rows) multiply(batch, batches, 0, rows);
    else yield* inBlocks(call, rows, (row, end) => multiply(batch, 1, row, end - row), rowsOfCall);
    if (batch + batches < lefts.length && call.isOver?.()) yield;
  }
  return true;
}

const FIRST = Int32Array.of(0);
const isTooLong = ({ length }: { readonly length: number }) => length > MOST_ELEMENTS;

/**
 * Multiplies row-major matrices of one type, batch by batch. Sums of 16-bit floats are computed in
 * float32.
 */
export function* matrixProductSteps(
  call: TensorCall,
  left: Numeric,
  right: Numeric,
  shape: readonly number[],
  plan: MatrixProducts,
): OperatorSteps<Numeric> {
  const { element } = left;
  const { rows, inner, columns } = plan;
  takeWork(call, plan.batches * rows * inner * columns);
  const out = newData(call, element, shape) as NumberData & BigIntData;
  if (out.length > 0 && !(yield* byKernel(call, left, right, out, plan)) && !call.onlyShapes) {
    const multiply = multiplier(element, columns);
    const multiplyRow = (batch: number, row: number) =>
      multiply(left, right, out, {
        left: plan.left(batch) + row * inner,
        right: plan.right(batch),
        out: (batch * rows + row) * columns,
        inner,
        columns,
      });
    const multiplyRows = (from: number, to: number) => {
      for (let at = from; at < to; at++) multiplyRow(Math.floor(at / rows), at % rows);
    };
    yield* inBlocks(call, plan.batches * rows, multiplyRows, blockOf(inner * columns + ROW_PRODUCTS));
  }
  return tensorOf(element, shape, roundTo(element, out as NumberData)) as Numeric;
}
