import { type DictionaryType, type DType, scalar, tensor as tensorType, type ValueType } from '@brezel/core';
import { onnxError } from './errors.js';
import { DataType, dataTypeName, type MapTypeProto, type ValueInfoProto } from './proto/schema.js';

const dtypes: Readonly<Record<number, DType>> = {
  [DataType.FLOAT]: 'float32',
  [DataType.DOUBLE]: 'float64',
  [DataType.INT64]: 'int64',
  [DataType.INT32]: 'int32',
  [DataType.BOOL]: 'bool',
  [DataType.STRING]: 'string',
};

const MAX_AXES = 16;

/** Whether the file says that there is one row, no more. */
export const isOneRow = (input: ValueInfoProto): boolean => input.type?.tensorType?.shape?.dim[0]?.dimValue === 1;

/** The type of one row of a graph input: its first axis is the row, whatever the file fixes it to. */
export function rowType(input: ValueInfoProto): ValueType {
  const at = `input "${input.name}"`;
  if (input.type?.mapType !== undefined) return mapType(input.type.mapType, at);
  const tensor = input.type?.tensorType;
  const dtype = tensor && dtypes[tensor.elemType];
  if (tensor === undefined || dtype === undefined) {
    throw onnxError('ERR_ONNX_SHAPE', {
      expected: 'a tensor of float, double, int64, int32, bool or string',
      received: tensor ? dataTypeName(tensor.elemType) : 'no tensor',
      at,
    });
  }
  const dims = tensor.shape?.dim;
  if (dims === undefined) throw onnxError('ERR_ONNX_SHAPE', { expected: 'a declared shape', received: 'none', at });
  if (dims.length === 1) return scalar(dtype);
  const axes = dims.slice(1).map((dim) => dim.dimValue);
  if (axes.length > 0 && axes.length <= MAX_AXES && axes.every((size) => size !== undefined && size > 0))
    return tensorType(dtype, axes as number[]);
  const shown = dims.map((dim) => dim.dimValue ?? (dim.dimParam || '?')).join(', ');
  throw onnxError('ERR_ONNX_SHAPE', { expected: 'a shape [N] or [N, columns, ...]', received: `[${shown}]`, at });
}

/** Inputs whose first axes are fixed to different sizes have no rows in common. @throws ERR_ONNX_SHAPE */
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

/** A map is a dictionary of the row. */
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
