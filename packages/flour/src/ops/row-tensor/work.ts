import { elementCount, type TensorValue } from '@brezel/core';
import { flourError } from '../../errors.js';
import type { RowTensorSpec } from './spec.js';

/**
 * A program is rejected if one row needs more than this many multiplications, which take a few
 * seconds. Without this limit, a hostile file could request days of work.
 */
const MAX_WORK = 2 ** 30;

const count = (value: TensorValue | undefined) =>
  value === undefined || value.element === 'sequence' ? 1 : elementCount(value.shape);
const size = (value: TensorValue | undefined, axis: number) =>
  value === undefined || value.element === 'sequence' ? 1 : (value.shape.at(axis) ?? 1);

/**
 * Returns the size of the axis of A that FusedMatMul sums. `transBatchA` moves the first axis of A
 * to the second last place, and `transA` then swaps the last two axes.
 */
function contracted(a: TensorValue | undefined, { transA, transBatchA }: RowTensorSpec['options']): number {
  if (a === undefined || a.element === 'sequence' || a.shape.length < 2 || !transA) return size(a, -1);
  return a.shape.length > 2 && transBatchA ? size(a, 0) : size(a, -2);
}

/**
 * Returns an upper limit of the number of multiplications per row. Returns 0 for operators whose
 * work is proportional to the size of their inputs and outputs.
 */
export function operatorWork(
  { operator, options }: Pick<RowTensorSpec, 'operator' | 'options'>,
  inputs: readonly (TensorValue | undefined)[],
): number {
  const [first, second] = inputs;
  switch (operator) {
    case 'MatMul':
    case 'MatMulInteger':
    case 'MatMulIntegerToFloat':
    case 'DynamicQuantizeMatMul':
    case 'Gemm':
    case 'FusedGemm':
      return (count(first) * count(second)) / Math.max(1, Math.min(size(first, -1), size(second, 0), size(second, -1)));
    case 'FusedMatMul':
    case 'TransposeMatMul':
      return (count(first) * count(second)) / Math.max(1, contracted(first, options));
    case 'MatMulNBits':
      return count(first) * Number(options.N ?? 1);
    case 'QLinearMatMul':
      return (count(first) * count(inputs[3])) / Math.max(1, Math.min(size(first, -1), size(inputs[3], -1)));
    case 'QLinearConv':
      return (count(first) * count(inputs[3])) / Math.max(1, size(first, 1));
    case 'Attention':
    case 'MultiHeadAttention':
      return (count(first) * count(second)) / Math.max(1, size(second, -1));
    case 'Einsum':
      return inputs.reduce((product, input) => product * count(input), 1);
    case 'Conv':
    case 'ConvInteger':
    case 'ConvTranspose':
    case 'DeformConv':
      return (count(first) * count(second)) / Math.max(1, size(first, 1));
    case 'MaxPool':
    case 'AveragePool':
    case 'LpPool':
      return count(first) * elementCount((options.kernel_shape as readonly number[] | undefined) ?? []);
    case 'LRN':
      return count(first) * Number(options.size ?? 1);
    case 'Det':
      return count(first) * size(first, -1);
    case 'NonMaxSuppression':
      return count(first) * count(first);
    case 'LSTM':
    case 'GRU':
    case 'RNN':
      return size(first, 0) * (count(second) + count(inputs[2]));
    default:
      return 0;
  }
}

/** Operators that multiply nothing in a run that only infers shapes. */
const SHAPES_ONLY: ReadonlySet<string> = new Set(['MatMul', 'Gemm', 'Conv', 'MaxPool', 'AveragePool', 'LpPool']);

/** Returns the number of multiplications that the inference of shapes takes. */
export const inferenceWork = (spec: RowTensorSpec, inputs: readonly (TensorValue | undefined)[]): number =>
  SHAPES_ONLY.has(spec.operator) ? 0 : operatorWork(spec, inputs);

/**
 * Checks how many multiplications one row needs.
 *
 * @throws ERR_FLOUR_SIZE for more than `MAX_WORK` multiplications.
 */
export function checkWork(spec: RowTensorSpec, inputs: readonly (TensorValue | undefined)[]): void {
  const work = operatorWork(spec, inputs);
  if (work <= MAX_WORK) return;
  throw flourError('ERR_FLOUR_SIZE', {
    expected: `at most ${MAX_WORK} multiplications per row`,
    received: `${work}`,
    at: `row-tensor ${spec.operator}`,
  });
}
