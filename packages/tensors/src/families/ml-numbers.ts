import {
  type Attributes,
  type DenseBlock,
  dense,
  type NumericDType,
  numericArray,
  type ParameterValue,
  type ReferenceKernel,
  vector,
} from '@brezel/core';
import {
  choiceAttribute,
  floatAttribute,
  floatsAttribute,
  hasAttribute,
  intAttribute,
  intsAttribute,
} from '../attributes.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { numbers } from '../elements.js';
import { indicesInput, normalizeIndex } from '../indices.js';
import { tensorInput } from '../inputs.js';
import { anyInput, reshaped } from '../moving.js';
import { interruptible } from '../pauses.js';
import { binarizeRows } from '../rows/binarize.js';
import { imputeRows } from '../rows/impute.js';
import { normalizeRows } from '../rows/normalize.js';
import { scaleRows } from '../rows/scale.js';
import { shown, strides } from '../shapes.js';
import type { NumericTensor, Tensor } from '../tensor.js';
import { pickedAxis, view, wholeAxis } from '../view.js';
import { concatenate } from './join.js';

const operator = (name: string, run: (call: TensorCall) => Tensor): TensorOperator => ({
  domain: 'ai.onnx.ml',
  operator: name,
  versions: [1, 5],
  run: (call) => [run(call)],
});

const pausing = (operator: string, steps: NonNullable<TensorOperator['steps']>): TensorOperator =>
  interruptible({ domain: 'ai.onnx.ml', operator, versions: [1, 5], steps });

/** Operators that preprocess numbers. They run the reference implementations of row operators. */
export const mlNumbers = tensorOperators(
  operator('Binarizer', binarized),
  operator('Imputer', imputed),
  operator('Scaler', scaled),
  operator('Normalizer', normalized),
  pausing('FeatureVectorizer', features),
  pausing('ArrayFeatureExtractor', extracted),
);

/** The element types that the row operators accept. */
const rowNumbers = ['float32', 'float64', 'int64', 'int32'] as const;

interface RowKernel {
  readonly kernel: ReferenceKernel;
  readonly attributes?: Attributes;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
}

/**
 * Runs the reference implementation of a row operator on each row. The last axis of the tensor
 * holds a row.
 */
function overRows(call: TensorCall, tensor: NumericTensor<NumericDType>, { kernel, ...use }: RowKernel): Tensor {
  call.budget.take(tensor.data.length);
  const size = rowSize(tensor);
  const rows = size === 0 ? 0 : tensor.data.length / size;
  const type = vector(tensor.element, size);
  const input = dense(tensor.element, rows, size, tensor.data);
  const { dtype, values } = kernel({
    attributes: {},
    parameters: {},
    ...use,
    rows,
    inputs: [input],
    inputTypes: [type],
    type,
  }) as DenseBlock;
  return { element: dtype, shape: tensor.shape, data: values } as Tensor;
}

const rowSize = ({ shape }: { readonly shape: readonly number[] }) => shape.at(-1) ?? 1;

/**
 * Checks the list of numbers in an attribute and returns it. The list must have one number for all
 * columns, or one number for each column.
 */
function columnList(call: TensorCall, tensor: NumericTensor, name: string, list: readonly number[]) {
  if (list.length === 1 || list.length === rowSize(tensor)) return list;
  throw call.fault(
    `${list.length} numbers in ${name} for rows of ${rowSize(tensor)}`,
    `1 or ${rowSize(tensor)} numbers in ${name}`,
  );
}

function parameter(dtype: NumericDType, list: readonly number[]): ParameterValue {
  const data = numericArray(dtype, list.length);
  list.forEach((value, at) => {
    data[at] = (dtype === 'int64' ? BigInt(value) : value) as never;
  });
  return { dtype, shape: [list.length], data } as ParameterValue;
}

function binarized(call: TensorCall): Tensor {
  const threshold = parameter('float32', [floatAttribute(call, 'threshold', 0)]);
  return overRows(call, tensorInput(call, 0, rowNumbers), { kernel: binarizeRows, parameters: { threshold } });
}

function imputed(call: TensorCall): Tensor {
  const tensor = tensorInput(call, 0, rowNumbers);
  const { element } = tensor;
  const isInteger = element === 'int64' || element === 'int32';
  const name = isInteger ? 'imputed_value_int64s' : 'imputed_value_floats';
  const list = columnList(call, tensor, name, isInteger ? intsAttribute(call, name) : floatsAttribute(call, name));
  const missing = isInteger
    ? intAttribute(call, 'replaced_value_int64', 0)
    : floatAttribute(call, 'replaced_value_float', 0);
  const parameters = { values: parameter(element, list), missing: parameter(element, [missing]) };
  return overRows(call, tensor, { kernel: imputeRows, parameters });
}

function scaled(call: TensorCall): Tensor {
  const tensor = tensorInput(call, 0, rowNumbers);
  const list = (name: string) => parameter('float32', columnList(call, tensor, name, floatsAttribute(call, name)));
  return overRows(call, tensor, { kernel: scaleRows, parameters: { offset: list('offset'), factor: list('scale') } });
}

const norms = { MAX: 'max', L1: 'l1', L2: 'l2' } as const;

function normalized(call: TensorCall): Tensor {
  const tensor = floatInput(call, 0);
  if (tensor.shape.length < 1 || tensor.shape.length > 2)
    throw call.fault(`shape ${shown(tensor.shape)}`, 'shape [C] or [N, C]');
  const norm = norms[choiceAttribute(call, 'norm', ['MAX', 'L1', 'L2'], 'MAX')];
  return overRows(call, tensor, { kernel: normalizeRows, attributes: { norm } });
}

/** Returns numbers of any type as float32. */
function floatInput(call: TensorCall, index: number): NumericTensor<'float32'> {
  const tensor = tensorInput(call, index, numbers);
  if (tensor.element === 'float32') return tensor;
  call.budget.take(tensor.data.length);
  const data = Float32Array.from(tensor.data as Iterable<number | bigint>, Number);
  return { element: 'float32', shape: tensor.shape, data };
}

/**
 * Concatenates the columns of all inputs. A tensor with one axis is one row. Each input supplies
 * the declared number of columns, padded with zeros, as in onnxruntime.
 */
function* features(call: TensorCall): OperatorSteps {
  const sizes = hasAttribute(call, 'inputdimensions') ? intsAttribute(call, 'inputdimensions') : undefined;
  if (sizes !== undefined && (sizes.length !== call.inputs.length || sizes.some((size) => size < 0)))
    throw call.fault(
      `inputdimensions [${sizes}] of ${call.inputs.length} inputs`,
      'one size per input, each 0 or greater',
    );
  const parts = call.inputs.map((_, index) => {
    const rows = inRows(call, floatInput(call, index), index);
    return sizes === undefined ? rows : resized(call, rows, sizes[index]!);
  });
  return [yield* concatenate(call, parts, 1)];
}

/**
 * Returns a tensor of two axes: rows, and all numbers of a row. A tensor with one axis is one row.
 */
function inRows(call: TensorCall, tensor: NumericTensor<'float32'>, index: number): NumericTensor<'float32'> {
  const { shape, data } = tensor;
  if (shape.length === 0) throw call.fault(`input ${index} of shape []`, `input ${index} of shape [C] or [N, ...]`);
  const rows = shape.length === 1 ? 1 : shape[0]!;
  const columns = shape.slice(shape.length === 1 ? 0 : 1).reduce((all, size) => all * size, 1);
  return { element: 'float32', shape: [rows, columns], data };
}

/** Returns the first `columns` numbers of each row. Pads shorter rows with zeros. */
function resized(call: TensorCall, tensor: NumericTensor<'float32'>, columns: number): NumericTensor<'float32'> {
  const [rows = 0, width = 0] = tensor.shape;
  if (width === columns) return tensor;
  call.budget.take(rows * columns);
  const data = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    data.set(tensor.data.subarray(row * width, row * width + Math.min(width, columns)), row * columns);
  return { element: 'float32', shape: [rows, columns], data };
}

/** Selects entries of the last axis. For a tensor of one axis, the result has one row. */
function* extracted(call: TensorCall): OperatorSteps {
  const given = anyInput(call, 0);
  const data = given.shape.length === 1 ? reshaped(given, [1, given.shape[0]!]) : given;
  const size = data.shape.at(-1);
  if (size === undefined) throw call.fault('a scalar', 'a tensor with at least one axis');
  const indices = indicesInput(call, 1).data as Iterable<number | bigint>;
  const columns = Array.from(indices, (index) => normalizeIndex(index, size, call));
  const steps = strides(data.shape);
  const lead = data.shape.slice(0, -1).map((whole, axis) => wholeAxis(whole, steps[axis]!));
  return [yield* view(call, data, [...lead, pickedAxis(columns.length, 1, (index) => columns[index]!)])];
}
