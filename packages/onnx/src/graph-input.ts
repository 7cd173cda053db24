import {
  type DictionaryType,
  type DType,
  elementCount,
  scalar,
  shapeOf,
  tensor as tensorType,
  type ValueType,
} from '@brezel/core';
import { applyRowTensor, carriers, type FlourContext, type Flow, type NarrowType } from '@brezel/flour';
import { onnxError } from './errors.js';
import type { ImportBudget } from './import-budget.js';
import { DataType, dataTypeName, type MapTypeProto, type ValueInfoProto } from './proto/schema.js';
import { ROUNDED_STEPS } from './rows/tensor-rules.js';
import { type RowValue, reshapedFlow, rowValue } from './rows/value.js';

const dtypes: Readonly<Record<number, DType>> = {
  [DataType.FLOAT]: 'float32',
  [DataType.DOUBLE]: 'float64',
  [DataType.INT64]: 'int64',
  [DataType.INT32]: 'int32',
  [DataType.BOOL]: 'bool',
  [DataType.STRING]: 'string',
};

/**
 * Integer types of ONNX for which programs have no element type. Rows contain the numbers in a
 * wider type, and the program checks their range.
 */
const narrowTypes: Readonly<Record<number, NarrowType>> = {
  [DataType.INT8]: 'int8',
  [DataType.UINT8]: 'uint8',
  [DataType.INT16]: 'int16',
  [DataType.UINT16]: 'uint16',
  [DataType.UINT32]: 'uint32',
  [DataType.UINT64]: 'uint64',
};

/**
 * Float types of ONNX for which rows contain float32 numbers. The program rounds the numbers to the
 * shorter type.
 */
const halfTypes: Readonly<Record<number, 'float16' | 'bfloat16'>> = {
  [DataType.FLOAT16]: 'float16',
  [DataType.BFLOAT16]: 'bfloat16',
};

const MAX_AXES = 16;

/** Returns whether the file declares that the first axis of an input has the size 1. */
export const isOneRow = (input: ValueInfoProto): boolean => input.type?.tensorType?.shape?.dim[0]?.dimValue === 1;

/**
 * Adds an input to the program. `given` is the flow that rows supply. `value` is the same value
 * after the range check or the rounding that its ONNX type needs.
 *
 * @throws ERR_ONNX_LIMIT for a row with too many numbers of 16 bits
 */
export function inputRow(
  flour: FlourContext,
  input: ValueInfoProto,
  budget: ImportBudget,
): { given: Flow; value: RowValue } {
  const given = flour.input(input.name, rowType(input));
  const elemType = input.type?.tensorType?.elemType ?? DataType.UNDEFINED;
  if (halfTypes[elemType] !== undefined) return { given, value: rounded(given, elemType, budget) };
  const element = narrowTypes[elemType];
  if (element === undefined) return { given, value: rowValue(given) };
  const line = given.kind === 'tensor' ? (given as Flow<'tensor'>).asVector() : (given as Flow<'vector'>);
  const checked = line.narrow(element, { outside: 'error' });
  const flow = given.kind === 'tensor' ? reshapedFlow(checked, shapeOf(given.type)) : checked;
  return { given, value: { ...rowValue(flow), element } };
}

/**
 * Rounds float32 numbers to a shorter float type, as the operator Cast does. The import rounds a
 * row of zeros to learn the type of the result.
 */
function rounded(given: Flow, elemType: number, budget: ImportBudget): RowValue {
  budget.steps(elementCount(shapeOf(given.type)) * ROUNDED_STEPS, 'an input of 16-bit floats');
  const { dims } = rowValue(given);
  const element = halfTypes[elemType]!;
  const spec = { domain: '', operator: 'Cast', opset: 13, options: { to: elemType }, outputs: 1, output: 0 } as const;
  const operands = [{ from: 'row', element: 'float32', shape: dims! }] as const;
  const flow = applyRowTensor(given.context, { ...spec, operands, element, shape: shapeOf(given.type) }, [given], {});
  return { ...rowValue(flow), element };
}

/**
 * Returns the type of one row of a graph input. The first axis counts the rows, even if the file
 * declares a fixed size for it.
 */
function rowType(input: ValueInfoProto): ValueType {
  const at = `input "${input.name}"`;
  if (input.type?.mapType !== undefined) return mapType(input.type.mapType, at);
  const tensor = input.type?.tensorType;
  const dtype = tensor && dtypeOfInput(tensor.elemType);
  if (tensor === undefined || dtype === undefined) {
    throw onnxError('ERR_ONNX_SHAPE', {
      expected: 'a tensor of float, double, integers, bool or string',
      received: tensor ? dataTypeName(tensor.elemType) : 'no tensor',
      at,
    });
  }
  const dims = tensor.shape?.dim;
  if (dims === undefined)
    throw onnxError('ERR_ONNX_SHAPE', {
      expected: 'a declared shape',
      received: 'none',
      at,
      hint: `pass the shape: { shapes: { ${JSON.stringify(input.name)}: [null, columns] } }`,
    });
  if (dims.length === 1) return scalar(dtype);
  const axes = dims.slice(1).map((dim) => dim.dimValue);
  if (axes.length > 0 && axes.length <= MAX_AXES && axes.every((size) => size !== undefined && size > 0))
    return tensorType(dtype, axes as number[]);
  const shown = dims.map((dim) => dim.dimValue ?? (dim.dimParam || '?')).join(', ');
  throw onnxError('ERR_ONNX_SHAPE', {
    expected: 'a shape [N] or [N, columns, ...]',
    received: `[${shown}]`,
    at,
    hint: `pass the sizes that the file leaves open: { shapes: { ${JSON.stringify(input.name)}: [null, ${dims
      .slice(1)
      .map(({ dimValue }) => dimValue ?? 'size')
      .join(', ')}] } }`,
  });
}

function dtypeOfInput(elemType: number): DType | undefined {
  const carried = narrowTypes[elemType] ?? halfTypes[elemType];
  return carried === undefined ? dtypes[elemType] : carriers[carried];
}

/**
 * Throws if an input declares another fixed size for its first axis than the first input. A row
 * must have a value of every input.
 * @throws ERR_ONNX_SHAPE
 */
export function checkRowCounts(inputs: readonly ValueInfoProto[]): void {
  const counts = inputs.map((input) => input.type?.tensorType?.shape?.dim[0]?.dimValue);
  const [first] = counts;
  const odd = counts.findIndex((count) => count !== undefined && first !== undefined && count !== first);
  if (odd < 0) return;
  throw onnxError('ERR_ONNX_SHAPE', {
    expected: `${first} rows, as of input "${inputs[0]!.name}"`,
    received: `${counts[odd]}`,
    at: `input "${inputs[odd]!.name}"`,
  });
}

const mapKeys: Readonly<Record<number, DictionaryType['keys']>> = {
  [DataType.STRING]: 'string',
  [DataType.INT64]: 'int64',
};

/** Returns the type of a map: a dictionary for each row. */
function mapType({ keyType, valueType }: MapTypeProto, at: string): ValueType {
  const keys = Object.hasOwn(mapKeys, keyType) ? mapKeys[keyType] : undefined;
  const element = valueType?.tensorType?.elemType;
  const values = element === undefined ? undefined : dtypes[element];
  if (keys !== undefined && (values === 'float32' || values === 'float64' || values === 'int64' || values === 'string'))
    return { kind: 'dictionary', keys, values };
  throw onnxError('ERR_ONNX_SHAPE', {
    expected: 'a map from string or int64 to float, double, int64 or string',
    received: `a map from ${dataTypeName(keyType)} to ${element === undefined ? 'no tensor' : dataTypeName(element)}`,
    at,
  });
}
