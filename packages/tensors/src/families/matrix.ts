import { flagAttribute, floatAttribute } from '../attributes.js';
import { indexMapOf } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, isFloat } from '../elements.js';
import { takeWork } from '../images.js';
import {
  type BigIntData,
  computedAsSteps,
  computedSteps,
  type NumberData,
  type Numeric,
  optionalInput,
  tensorInput,
} from '../inputs.js';
import { lessZero, perColumn, perRow } from '../integer-products.js';
import { combinedByKernel } from '../kernels.js';
import { blockOf, interruptible } from '../pauses.js';
import { transposed } from '../permute.js';
import { canMultiply, matrixProductSteps } from '../products.js';
import { broadcastShape, checkBroadcast, shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { twoInputs } from './pairs.js';

const types = [...floats, 'int32', 'int64', 'uint32', 'uint64'] as const;

/**
 * Multiplies matrices in the last two axes and broadcasts the other axes. A vector is a row on the
 * left and a column on the right. `isTransposed`: see MatrixProducts.
 */
export function* matmulSteps(
  call: TensorCall,
  first: Numeric,
  second: Numeric,
  isTransposed = false,
): OperatorSteps<Tensor> {
  const wrong = () =>
    call.fault(
      `shapes ${shown(first.shape)} and ${shown(second.shape)}`,
      'two matrices, where the number of columns of the first is the number of rows of the second',
    );
  if (first.shape.length === 0 || second.shape.length === 0) throw wrong();
  const left = first.shape.length === 1 ? [1, ...first.shape] : first.shape;
  const right = second.shape.length === 1 ? [...second.shape, 1] : second.shape;
  const [rows, inner, columns] = [left.at(-2)!, left.at(-1)!, right.at(-1)!];
  if (right.at(-2) !== inner) throw wrong();
  const lead = broadcastShape([left.slice(0, -2), right.slice(0, -2)], call);
  const [leftAt, rightAt] = [left, right].map((shape) => indexMapOf(shape.slice(0, -2), lead, call));
  const shape = [
    ...lead,
    ...left.slice(-2, first.shape.length === 1 ? -2 : -1),
    ...right.slice(-1, second.shape.length === 1 ? -1 : undefined),
  ];
  return yield* matrixProductSteps(call, first, second, shape, {
    batches: elementCount(lead),
    rows,
    inner,
    columns,
    isTransposed,
    left: (batch) => leftAt!(batch) * rows * inner,
    right: (batch) => rightAt!(batch) * inner * columns,
  });
}

/**
 * Computes alpha * A' B' + beta * C. A' and B' are A and B, transposed if the node requests it. C
 * is broadcast to the product.
 */
export function* gemmSteps(call: TensorCall): OperatorSteps<readonly Tensor[]> {
  const a = tensorInput(call, 0, types);
  const b = tensorInput(call, 1, [a.element]) as Numeric;
  const c = optionalInput(call, 2, [a.element]) as Numeric | undefined;
  if (a.shape.length !== 2 || b.shape.length !== 2)
    throw call.fault(`shapes ${shown(a.shape)} and ${shown(b.shape)}`, 'A and B with two axes each');
  const left = flagAttribute(call, 'transA', false) ? yield* transposed(call, a) : a;
  const isTransposed = flagAttribute(call, 'transB', false);
  // A kernel can read a matrix as transposed. Without a kernel, the matrix is transposed in a copy.
  const liesTransposed = isTransposed && canMultiply(call, a.element);
  const flipped = { ...b, shape: b.shape.toReversed() } as Numeric;
  const right = !isTransposed ? b : liesTransposed ? flipped : yield* transposed(call, b);
  const product = (yield* matmulSteps(call, left, right, liesTransposed)) as Numeric;
  const { element, shape, data } = product;
  if (c !== undefined) checkBroadcast(c.shape, shape, call);
  if (c !== undefined && hasNoFactors(call)) {
    // Pretends operator set 13, because Gemm of every version broadcasts C as Add does since
    // version 7.
    const sum = yield* combinedByKernel({ ...call, opset: 13 }, product, c, 'add');
    if (sum !== undefined) return [sum];
  }
  const indexAt = indexMapOf(c?.shape ?? [], shape, call);
  const factor = factors(call, product);
  const addend = (at: number) => c?.data[indexAt(at)] as never;
  return [
    yield* computedAsSteps(
      call,
      element,
      shape,
      (at) => factor.alpha((data as NumberData)[at]!) + (c === undefined ? 0 : factor.beta(addend(at))),
      (at) =>
        factor.bigAlpha((data as unknown as BigIntData)[at]!) + (c === undefined ? 0n : factor.bigBeta(addend(at))),
    ),
  ];
}

const hasNoFactors = (call: TensorCall) =>
  floatAttribute(call, 'alpha', 1) === 1 && floatAttribute(call, 'beta', 1) === 1;

/**
 * Returns the functions that multiply a number by `alpha` and by `beta`. Products of 16-bit floats
 * are rounded to float32. If the element type is an integer, both factors must be integers.
 */
function factors(call: TensorCall, { element }: Numeric) {
  const [alpha, beta] = [floatAttribute(call, 'alpha', 1), floatAttribute(call, 'beta', 1)];
  if (!isFloat(element) && !(Number.isInteger(alpha) && Number.isInteger(beta)))
    throw call.fault(
      `alpha ${alpha} and beta ${beta} with integer inputs`,
      'integers as alpha and beta for integer inputs',
    );
  const round = element === 'float64' ? (x: number) => x : Math.fround;
  const times = (by: number) => (isFloat(element) ? (x: number) => round(by * x) : (x: number) => Math.imul(by, x));
  const bigTimes = (by: number) => (x: bigint) => BigInt(Number.isInteger(by) ? by : 0) * x;
  return { alpha: times(alpha), beta: times(beta), bigAlpha: bigTimes(alpha), bigBeta: bigTimes(beta) };
}

function* matmul(call: TensorCall): OperatorSteps {
  return [yield* matmulSteps(call, ...twoInputs(call, types))];
}

/**
 * Multiplies small integers minus their zero points, in int32. A zero point is one number, one per
 * row of A, or one per column of B.
 */
function* matmulInteger(call: TensorCall): OperatorSteps {
  const left = yield* lessZero(call, 0, 2, perRow);
  return [yield* matmulSteps(call, left, yield* lessZero(call, 1, 3, perColumn))];
}

/**
 * A step of the elimination counts against the budget like this many multiplications, because it
 * takes about as long.
 */
const ELIMINATION_PRODUCTS = 16;

/**
 * Computes determinants of the square matrices in the last two axes by elimination with partial
 * pivoting, in float64.
 */
function* det(call: TensorCall): OperatorSteps {
  const { element, shape, data } = tensorInput(call, 0, floats);
  const size = shape.at(-1);
  if (size === undefined || shape.at(-2) !== size)
    throw call.fault(`shape ${shown(shape)}`, 'square matrices in the last two axes');
  call.budget.take(size * size);
  takeWork(call, (data.length / Math.max(size * size, 1)) * ELIMINATION_PRODUCTS * size ** 3);
  const matrix = (at: number) => Float64Array.from(data.subarray(at * size * size, (at + 1) * size * size));
  const determinantAt = (at: number) => determinant(matrix(at), size);
  return [yield* computedSteps(call, element, shape.slice(0, -2), determinantAt, blockOf(size ** 3))];
}

function determinant(matrix: Float64Array, size: number): number {
  let product = 1;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(matrix[row * size + column]!) > Math.abs(matrix[pivot * size + column]!)) pivot = row;
    const divisor = matrix[pivot * size + column]!;
    if (divisor === 0) return 0;
    product *= pivot === column ? divisor : -divisor;
    if (pivot !== column) swapRows(matrix, size, pivot, column);
    for (let row = column + 1; row < size; row++) {
      const factor = matrix[row * size + column]! / divisor;
      for (let at = column; at < size; at++)
        matrix[row * size + at] = matrix[row * size + at]! - factor * matrix[column * size + at]!;
    }
  }
  return product;
}

function swapRows(matrix: Float64Array, size: number, one: number, other: number): void {
  const kept = matrix.slice(one * size, (one + 1) * size);
  matrix.copyWithin(one * size, other * size, (other + 1) * size);
  matrix.set(kept, other * size);
}

/** Matrix products with the sums of the row operators `dense` and `linear`. */
export const matrices = tensorOperators(
  interruptible({ domain: '', operator: 'MatMul', versions: [1, 25], steps: matmul }),
  interruptible({ domain: '', operator: 'Gemm', versions: [1, 25], steps: gemmSteps }),
  interruptible({ domain: '', operator: 'MatMulInteger', versions: [10, 25], steps: matmulInteger }),
  interruptible({ domain: '', operator: 'Det', versions: [11, 25], steps: det }),
);
