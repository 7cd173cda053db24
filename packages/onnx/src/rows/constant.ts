import {
  type ElementType,
  elementCount,
  type NumericDType,
  numericArray,
  type ParameterValue,
  type Tensor,
} from '@brezel/core';
import { carriers, type OnnxConstant, tensorFrom, writeRow } from '@brezel/flour';
import type { ImportBudget } from '../import-budget.js';
import { readElements } from '../proto/element-tensor.js';
import type { TensorProto } from '../proto/schema.js';
import { type Batch, batchAt, type ConstantValue, product, ROW_COUNTS } from './value.js';

/** Returns a constant as a tensor with the given element type. Shares the data if possible. */
export const tensorOf = ({ shape, data }: OnnxConstant, element: ElementType): Tensor =>
  tensorFrom(element, shape, data as never);

/**
 * Returns a tensor as a constant with one of the element types of parameters, which conversions of
 * nodes read.
 */
export function constantOf(tensor: Tensor): OnnxConstant {
  const { element, shape, data } = tensor;
  if (element === 'string') return { dtype: 'string', shape, data: data as readonly string[] };
  const dtype = carriers[element] as NumericDType;
  if (data.constructor === numericArray(dtype, 0).constructor) return { dtype, shape, data } as OnnxConstant;
  const values = numericArray(dtype, data.length);
  writeRow(tensor, values as never, 0);
  return { dtype, shape, data: values } as OnnxConstant;
}

/** Returns a constant as a parameter of a program. */
export const parameterOf = (constant: OnnxConstant): ParameterValue =>
  constant.dtype === 'string'
    ? { dtype: 'string', shape: constant.shape, values: constant.data }
    : (constant as ParameterValue);

export const plainConstant = (tensor: OnnxConstant, element: ElementType = tensor.dtype): ConstantValue => ({
  kind: 'constant',
  tensor,
  element,
});

/** Decodes a tensor of the file, and returns it as a constant of the graph. */
export function fileConstant(proto: TensorProto, budget: ImportBudget): ConstantValue {
  // Tensors may share one region of a file.
  budget.bytes(proto.rawData?.length ?? 0, `tensor '${proto.name}'`);
  const tensor = readElements(proto);
  return plainConstant(constantOf(tensor), tensor.element);
}

/**
 * Returns a constant that may depend on the number of rows. `byRows` contains its value for each
 * number of rows in `ROW_COUNTS`. If all these values are equal, the constant does not depend on
 * the number of rows.
 */
export function constantByRows(byRows: readonly Tensor[]): ConstantValue {
  const [first, ...others] = byRows as [Tensor, ...Tensor[]];
  const constant = plainConstant(constantOf(first), first.element);
  if (others.every((other) => sameTensor(first, other))) return constant;
  const batch = repeatedRows(byRows);
  return { ...constant, byRows, ...(batch !== undefined && { batch }) };
}

const sameTensor = (a: Tensor, b: Tensor) =>
  a.shape.join() === b.shape.join() &&
  (a.data as readonly unknown[]).every((value, at) => Object.is(value, b.data[at]));

/**
 * Returns the axis along which a constant contains the same entry for every row, or undefined if no
 * such axis exists.
 */
function repeatedRows(byRows: readonly Tensor[]): Batch | undefined {
  const first = byRows[0]!;
  for (const axis of first.shape.keys()) {
    if (first.shape[axis] === 1 && byRows.every((tensor, at) => repeats(first, tensor, axis, ROW_COUNTS[at]!)))
      return batchAt(axis);
  }
  return undefined;
}

function repeats(first: Tensor, many: Tensor, axis: number, rows: number): boolean {
  if (many.shape.length !== first.shape.length) return false;
  if (many.shape.some((size, at) => size !== first.shape[at]! * (at === axis ? rows : 1))) return false;
  const inner = product(first.shape.slice(axis + 1));
  const count = elementCount(many.shape);
  for (let at = 0; at < count; at++) {
    const outer = Math.floor(at / (inner * rows));
    if (!Object.is(many.data[at], first.data[outer * inner + (at % inner)])) return false;
  }
  return true;
}
