import {
  type DenseBlock,
  type DType,
  dtypeOf,
  type NumericParameter,
  printType,
  type ReferenceCall,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { ofNumbers } from '../../checks.js';
import { float32, type Numbers, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';

/**
 * The side of the operation on which the constant operand is: right, left, or none if both operands
 * are flows. Kernels receive the index of an entry.
 */
export const sides = ['right', 'left', 'none'] as const;
export type Side = (typeof sides)[number];

const symbols: Readonly<Record<string, string>> = {
  add: '+',
  subtract: '-',
  multiply: '*',
  divide: '/',
  maximum: 'or at least',
  minimum: 'or at most',
  power: '^',
  modulo: 'mod',
  remainder: '%',
  unsignedDivide: '/ without a sign',
  unsignedRemainder: '% without a sign',
  greater: '>',
  less: '<',
  equal: '==',
  greaterOrEqual: '>=',
  lessOrEqual: '<=',
};

/** Formats an operation for EXPLAIN, for example `x * operand`, `operand - x` or `x / y`. */
export function formula(operation: string, side: Side): string {
  const symbol = symbols[operation] ?? operation;
  return { right: `x ${symbol} operand`, left: `operand ${symbol} x`, none: `x ${symbol} y` }[side];
}

/** The element types that arithmetic supports. */
export const computedTypes = ['float32', 'float64', 'int64', 'int32'] as const;

/**
 * Returns the type of the result of a binary operator. Throws unless both operands have the same
 * element type, and the same size or the size 1. Also throws if the attribute `side` does not match
 * the operands, because kernels find the operands by this attribute.
 */
export function broadcastType(at: string, use: OperatorUse, ...dtypes: DType[]): ValueType {
  const types = use.inputs.map((input) => ofNumbers(at, input, ...dtypes));
  const { operand } = use.parameters;
  const { side = 'none' } = use.attributes;
  if ((side === 'none') !== (operand === undefined))
    throw flourError('ERR_FLOUR_PARAM', {
      expected: operand === undefined ? 'side none, because no operand is constant' : 'side left or right',
      received: `side ${side}`,
      at,
    });
  const dtype = ofOneType(at, [...types.map(dtypeOf), ...(operand === undefined ? [] : [operand.dtype])]);
  const constant = operand?.shape.reduce((product, size) => product * size, 1);
  const sizes = constant === undefined ? types.map(sizeOf) : [...types.map(sizeOf), constant];
  const size = Math.max(...sizes);
  const fits = sizes.length === 2 && sizes.every((one) => one === size || one === 1);
  if (!fits || types.some((type) => type.kind === 'sparse')) {
    throw flourError('ERR_FLOUR_SIZE', {
      expected: 'two dense operands of one size, or one of size 1',
      received: types.map(printType).join(' and '),
      at,
    });
  }
  const [first, second] = types;
  // ONNX broadcasts [N] with [N, k] by pairing rows with columns, which a row program cannot
  // compute.
  if (second !== undefined && first!.kind !== second.kind) {
    throw flourError('ERR_FLOUR_TYPE', {
      expected: 'two scalars or two vectors',
      received: types.map(printType).join(' and '),
      at,
    });
  }
  return size === 1 && first!.kind === 'scalar' ? first! : { kind: 'vector', dtype, size };
}

/**
 * Returns the element type that all operands share.
 *
 * @throws ERR_FLOUR_TYPE for operands of several element types.
 */
export function ofOneType(at: string, dtypes: readonly DType[]): DType {
  const [first] = dtypes;
  const other = dtypes.find((dtype) => dtype !== first);
  if (other === undefined) return first!;
  throw flourError('ERR_FLOUR_TYPE', { expected: `operands of ${first}`, received: other, at });
}

/**
 * Returns a function that reads both operands of the element in row `row` and column `column`.
 * Elements are bigints for int64, strings for texts, otherwise numbers.
 */
export function operandReader<T extends number | bigint | string>(
  call: ReferenceCall,
): (row: number, column: number) => readonly [T, T] {
  const element = (input: DenseBlock) => (row: number, column: number) =>
    input.values[row * input.size + (input.size === 1 ? 0 : column)] as T;
  const first = element(call.inputs[0] as DenseBlock);
  const second =
    call.parameters.operand === undefined
      ? element(call.inputs[1] as DenseBlock)
      : constantReader<T>(call.parameters.operand as NumericParameter);
  return (row, column) =>
    call.attributes.side === 'left'
      ? [second(row, column), first(row, column)]
      : [first(row, column), second(row, column)];
}

const constantReader =
  <T>({ data }: NumericParameter) =>
  (_row: number, column: number) =>
    data[data.length === 1 ? 0 : column] as T;

/** Converts constants to the element type of the flow. */
export function constantLike(source: Flow, values: number | Numbers): NumericParameter {
  const data = typeof values === 'number' ? [values] : values;
  const shape = [data.length];
  // A list of the same type is copied as a whole, because imports convert long lists.
  if (data instanceof BigInt64Array && dtypeOf(source.type) === 'int64')
    return { dtype: 'int64', shape, data: data.slice() };
  if (data instanceof Int32Array && dtypeOf(source.type) === 'int32')
    return { dtype: 'int32', shape, data: data.slice() };
  switch (dtypeOf(source.type)) {
    case 'float64':
      return { dtype: 'float64', shape, data: filled(new Float64Array(data.length), data, Number) };
    case 'int64':
      return { dtype: 'int64', shape, data: filled(new BigInt64Array(data.length), data, wholeNumber) };
    case 'int32':
      return {
        dtype: 'int32',
        shape,
        data: filled(new Int32Array(data.length), data, (value) => Number(wholeNumber(value))),
      };
    case 'bool':
      return {
        dtype: 'bool',
        shape,
        data: filled(new Uint8Array(data.length), data, (value) => Number(Number(value) !== 0)),
      };
    default:
      return float32(data) as NumericParameter;
  }
}

/** Writes converted numbers to a typed array. `from` of typed arrays takes ten times as long. */
function filled<Element extends number | bigint, List extends { [at: number]: Element }>(
  list: List,
  values: Numbers,
  convert: (value: number | bigint) => Element,
): List {
  for (let at = 0; at < values.length; at++) list[at] = convert(values[at]!);
  return list;
}

function wholeNumber(value: number | bigint): bigint {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value);
  throw flourError('ERR_FLOUR_PARAM', { expected: 'integers next to integers', received: `${value}`, at: 'operand' });
}

/**
 * Returns the operands of an ONNX binary operator: both flows, or one flow, the constant and the
 * side of the constant.
 */
export function onnxOperands(use: OnnxUse): { flows: Flow[]; constant?: Numbers; side: Side } {
  const constants = [use.constant(0), use.constant(1)];
  const at = constants.findIndex((constant) => constant !== undefined);
  if (at < 0) return { flows: [use.row(0), use.row(1)], side: 'none' };
  const constant = constants[at]!;
  const flow = use.row(1 - at);
  // The last axis of the constant holds the columns, and the constant has at most as many axes as
  // the value.
  const rank = flow.kind === 'scalar' ? 1 : 2;
  const isRow = constant.shape.length <= rank && constant.shape.slice(0, -1).every((size) => size === 1);
  if (constant.dtype === 'string' || constant.dtype !== dtypeOf(flow.type) || !isRow)
    throw use.unsupported(`an operand of type ${constant.dtype}[${constant.shape}]`);
  // For rows of one number and a constant of k numbers, ONNX broadcasts the row axis to k, which a
  // row program cannot compute.
  if (flow.kind === 'scalar' && constant.data.length !== 1)
    throw use.unsupported('a constant vector next to a scalar row value');
  return { flows: [flow], constant: constant.data, side: at === 0 ? 'left' : 'right' };
}
