import { type NumericDType, type NumericParameter, numericArray } from '@brezel/core';
import { castElement, functions, type OnnxAttributes, type OnnxConstant, operations } from '@brezel/flour';
import { onnxError } from './errors.js';

/** A node all of whose inputs are constant, evaluated. Undefined: not an operator that can be folded. */
export function foldConstants(
  operator: string,
  inputs: readonly OnnxConstant[],
  attributes: OnnxAttributes,
): OnnxConstant | undefined {
  if (!Object.hasOwn(folders, operator)) return undefined; // a node may be called toString
  return folders[operator]!(inputs, attributes);
}

/** Elements that constants may grow to while they are folded, each and together: two short ones broadcast to their product. */
export const MAX_FOLDED = 2 ** 24;

type Folder = (inputs: readonly OnnxConstant[], attributes: OnnxAttributes) => OnnxConstant | undefined;

const elementwise =
  (apply: (x: number) => number): Folder =>
  ([x]) =>
    x?.dtype === 'float32' ? { ...x, data: x.data.map((value) => apply(value)) } : undefined;

const binary =
  (apply: (a: number, b: number) => number): Folder =>
  ([a, b]) =>
    a?.dtype === 'float32' && b?.dtype === 'float32' ? broadcast(a, b, apply) : undefined;

const folders: Readonly<Record<string, Folder>> = {
  Identity: ([x]) => x,
  Constant: (_, attributes) => attributes.tensor('value'),
  Exp: elementwise(functions.exp),
  Log: elementwise(functions.log),
  Sigmoid: elementwise(functions.sigmoid),
  Tanh: elementwise(functions.tanh),
  Neg: elementwise(functions.negate),
  Abs: elementwise(functions.abs),
  Sqrt: elementwise(functions.sqrt),
  Add: binary(operations.add),
  Sub: binary(operations.subtract),
  Mul: binary(operations.multiply),
  Div: binary(operations.divide),
  ReduceSum: ([x, axes], attributes) => (x?.dtype === 'float32' ? reduceSum(x, axes, attributes) : undefined),
  Reshape: ([x, shape]) => (x === undefined || shape === undefined ? undefined : reshape(x, integers(shape))),
  Cast: ([x], attributes) => (x === undefined ? undefined : cast(x, attributes.int('to'))),
};

type Float32Constant = Extract<OnnxConstant, { dtype: 'float32' }>;

const integers = (constant: OnnxConstant) => Array.from(constant.data as ArrayLike<number | bigint>, Number);
const product = (shape: readonly number[]) => shape.reduce((all, size) => all * size, 1);

/** Two tensors broadcast as numpy does; float32, one rounding. */
function broadcast(
  a: Float32Constant,
  b: Float32Constant,
  apply: (a: number, b: number) => number,
): OnnxConstant | undefined {
  const rank = Math.max(a.shape.length, b.shape.length);
  const padded = [a, b].map(({ shape }) => [...new Array<number>(rank - shape.length).fill(1), ...shape]);
  const shape = padded[0]!.map((size, axis) => (size === 1 ? padded[1]![axis]! : size));
  if (padded.some((sizes) => sizes.some((size, axis) => size !== 1 && size !== shape[axis]))) return undefined;
  if (product(shape) > MAX_FOLDED) {
    throw onnxError('ERR_ONNX_LIMIT', { received: `a constant of ${product(shape)} elements`, at: `shape [${shape}]` });
  }
  const at = (sizes: readonly number[], flat: number) => {
    let index = 0;
    let rest = flat;
    let stride = 1;
    for (let axis = rank - 1; axis >= 0; axis--) {
      const place = rest % shape[axis]!;
      rest = Math.floor(rest / shape[axis]!);
      if (sizes[axis] !== 1) index += place * stride;
      stride *= sizes[axis]!;
    }
    return index;
  };
  const data = Float32Array.from({ length: product(shape) }, (_, flat) =>
    apply(a.data[at(padded[0]!, flat)]!, b.data[at(padded[1]!, flat)]!),
  );
  return { dtype: 'float32', shape, data };
}

/** Sums in plain float32 order over the axes, all of them by default. */
function reduceSum(x: Float32Constant, axesInput: OnnxConstant | undefined, attributes: OnnxAttributes): OnnxConstant {
  const rank = x.shape.length;
  const listed = attributes.has('axes') ? attributes.ints('axes') : axesInput === undefined ? [] : integers(axesInput);
  const axes =
    listed.length === 0 ? x.shape.map((_, axis) => axis) : listed.map((axis) => (axis < 0 ? axis + rank : axis));
  const kept = x.shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
  const data = new Float32Array(product(kept));
  x.data.forEach((value, flat) => {
    let index = 0;
    let rest = flat;
    let stride = 1;
    for (let axis = rank - 1; axis >= 0; axis--) {
      if (!axes.includes(axis)) index += (rest % x.shape[axis]!) * stride;
      rest = Math.floor(rest / x.shape[axis]!);
      stride *= kept[axis]!;
    }
    data[index] = data[index]! + value;
  });
  const shape = attributes.int('keepdims', 1) === 0 ? kept.filter((_, axis) => !axes.includes(axis)) : kept;
  return { dtype: 'float32', shape, data };
}

function reshape(x: OnnxConstant, wanted: readonly number[]): OnnxConstant | undefined {
  const filled = wanted.map((size, axis) => (size === 0 ? (x.shape[axis] ?? 0) : size));
  const known = product(filled.filter((size) => size !== -1));
  const shape = filled.map((size) => (size === -1 ? x.data.length / known : size));
  return product(shape) === x.data.length && shape.every(Number.isInteger) ? { ...x, shape } : undefined;
}

const castTypes: Readonly<Record<number, NumericDType>> = {
  1: 'float32',
  6: 'int32',
  7: 'int64',
  9: 'bool',
  11: 'float64',
};

function cast(x: OnnxConstant, to: number): OnnxConstant | undefined {
  const dtype = castTypes[to];
  if (dtype === undefined || x.dtype === 'string') return undefined;
  const data = numericArray(dtype, x.data.length);
  x.data.forEach((value: number | bigint, at: number) => {
    data[at] = castElement(value, dtype) as never;
  });
  return { dtype, shape: x.shape, data } as NumericParameter;
}
