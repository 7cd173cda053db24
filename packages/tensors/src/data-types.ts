import type { TensorCall } from './define.js';
import type { ElementType } from './tensor.js';

/** Element types by the number of their type in ONNX files (TensorProto.DataType). */
const elementTypes: Readonly<Record<number, ElementType>> = {
  1: 'float32',
  2: 'uint8',
  3: 'int8',
  4: 'uint16',
  5: 'int16',
  6: 'int32',
  7: 'int64',
  8: 'string',
  9: 'bool',
  10: 'float16',
  11: 'float64',
  12: 'uint32',
  13: 'uint64',
  16: 'bfloat16',
  17: 'float8e4m3fn',
  18: 'float8e4m3fnuz',
  19: 'float8e5m2',
  20: 'float8e5m2fnuz',
  21: 'uint4',
  22: 'int4',
  23: 'float4e2m1',
  24: 'float8e8m0',
  25: 'uint2',
  26: 'int2',
};

/**
 * Returns the element type that has the number `dataType` in ONNX files.
 *
 * @throws `call.fault` for an unknown or unsupported number.
 */
export function elementOf(call: TensorCall, dataType: number): ElementType {
  const element = elementTypes[dataType];
  if (element !== undefined) return element;
  throw call.fault(`data type ${dataType}`, 'a type of ONNX except complex numbers');
}
