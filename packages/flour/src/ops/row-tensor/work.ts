import { elementCount, type TensorValue } from '@brezel/core';
import { flourError } from '../../errors.js';
import type { RowTensorSpec } from './spec.js';

/**
 * Largest number of multiplications per row: some seconds of work. A hostile file could declare
 * days of work.
 */
const MAX_WORK = 2 ** 30;

const count = (value: TensorValue | undefined) =>
  value === undefined || value.element === 'sequence' ? 1 : elementCount(value.shape);
const size = (value: TensorValue | undefined, axis: number) =>
  value === undefined || value.element === 'sequence' ? 1 : (value.shape.at(axis) ?? 1);

/**
 * Returns an upper bound of the multiplications per row, for operators whose work is not linear in
 * the size of inputs and outputs.
 */
export function operatorWork(
  { operator, options }: Pick<RowTensorSpec, 'operator' | 'options'>,
  inputs: readonly (TensorValue | undefined)[],
): number {
  const [first, second] = inputs;
  switch (operator) {
    case 'MatMul':
    case 'MatMulInteger':
    case 'Gemm':
      return (count(first) * count(second)) / Math.max(1, Math.min(size(first, -1), size(second, 0), size(second, -1)));
    case 'QLinearMatMul':
      return (count(first) * count(inputs[3])) / Math.max(1, Math.min(size(first, -1), size(inputs[3], -1)));
    case 'QLinearConv':
      return (count(first) * count(inputs[3])) / Math.max(1, size(first, 1));
    case 'Attention':
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

/** Operators that compute nothing if only shapes are needed. */
const SHAPES_ONLY: ReadonlySet<string> = new Set(['MatMul', 'Gemm', 'Conv']);

/** Returns the multiplications of a shape inference. */
export const inferenceWork = (spec: RowTensorSpec, inputs: readonly (TensorValue | undefined)[]): number =>
  SHAPES_ONLY.has(spec.operator) ? 0 : operatorWork(spec, inputs);

/**
 * Checks the work of one row.
 *
 * @throws ERR_FLOUR_SIZE for work of several seconds.
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
