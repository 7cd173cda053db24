import { type ElementType, elementArray, type NumericElement, type Tensor } from '@brezel/core';
import { DataType } from '@brezel/onnx';

/** The numbers of ONNX for the types of numbers. */
export const dataTypes = {
  float32: DataType.FLOAT,
  float64: DataType.DOUBLE,
  int64: DataType.INT64,
  int32: DataType.INT32,
  bool: DataType.BOOL,
  int8: DataType.INT8,
  uint8: DataType.UINT8,
  int16: DataType.INT16,
  uint16: DataType.UINT16,
  uint32: DataType.UINT32,
  uint64: DataType.UINT64,
  float16: DataType.FLOAT16,
} as const satisfies Partial<Record<ElementType, number>>;
export type NumberType = keyof typeof dataTypes;

/** Returns a tensor of any of these types. @param values integers for integer types */
export function tensorOf(element: NumberType, shape: readonly number[], values: readonly number[]): Tensor {
  const data = elementArray(element as NumericElement, values.length);
  const isBig = element === 'int64' || element === 'uint64';
  values.forEach((value, at) => {
    data[at] = (isBig ? BigInt(value) : value) as never;
  });
  return { element, shape, data } as Tensor;
}
