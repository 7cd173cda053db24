import type { DType, NumericArray } from '@brezel/core';
import { type ElementType, elementArray, type NumericElement, type Tensor } from '@brezel/core';

/**
 * The type in which rows and parameters store elements of each ONNX type: the narrowest type of
 * Brezel that represents all values. No type represents all values of uint64, so int64 holds the
 * same bits.
 */
export const carriers: Readonly<Record<ElementType, DType>> = {
  float32: 'float32',
  float64: 'float64',
  float16: 'float32',
  bfloat16: 'float32',
  int8: 'int32',
  int16: 'int32',
  int32: 'int32',
  int64: 'int64',
  uint8: 'int32',
  uint16: 'int32',
  uint32: 'int64',
  uint64: 'int64', // its bits
  bool: 'bool',
  string: 'string',
  int4: 'int32',
  uint4: 'int32',
  int2: 'int32',
  uint2: 'int32',
  float8e4m3fn: 'float32',
  float8e4m3fnuz: 'float32',
  float8e5m2: 'float32',
  float8e5m2fnuz: 'float32',
  float8e8m0: 'float32',
  float4e2m1: 'float32',
};

type Elements = NumericArray | readonly string[];

/**
 * Converts elements of a row or a parameter to a tensor. If the tensor needs the same type of
 * array, it uses the array without a copy.
 */
export function tensorFrom(element: ElementType, shape: readonly number[], values: Elements): Tensor {
  if (element === 'string') return { element, shape, data: values as readonly string[] };
  const array = elementArray(element, 0).constructor as unknown;
  const shared = values.constructor === array;
  return { element, shape, data: shared ? values : converted(element, values as NumericArray) } as Tensor;
}

function converted(element: NumericElement, values: NumericArray): NumericArray {
  const data = elementArray(element, values.length);
  const big = element === 'uint64' || element === 'int64';
  for (let at = 0; at < data.length; at++) data[at] = (big ? BigInt(values[at]!) : Number(values[at]!)) as never;
  return data as unknown as NumericArray;
}

/** Writes the elements of a tensor into the array of a row. */
export function writeRow({ element, data }: Tensor, into: NumericArray | string[], from: number): void {
  if (Array.isArray(into)) {
    for (let at = 0; at < data.length; at++) into[from + at] = data[at] as string;
  } else if (data.constructor === into.constructor) {
    into.set(data as never, from);
  } else {
    const big = carriers[element] === 'int64';
    for (let at = 0; at < data.length; at++) into[from + at] = (big ? BigInt(data[at] as number) : data[at]) as never;
  }
}
