import type { TensorCall } from './define.js';
import type { ElementType } from './tensor.js';

/** Element types by their number in ONNX files (TensorProto.DataType). */
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
};

/** @throws `call.fault` for a number that stands for no type, or for one that tensors here do not have. */
export function elementOf(call: TensorCall, dataType: number): ElementType {
  const element = elementTypes[dataType];
  if (element !== undefined) return element;
  throw call.fault(`data type ${dataType}`, '8- and 4-bit floats and complex numbers are not supported');
}
