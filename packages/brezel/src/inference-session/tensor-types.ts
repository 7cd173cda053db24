import {
  elementArray,
  fromFloat16,
  int64Of,
  type NumericElement,
  type Tensor as ProgramTensor,
  toFloat16,
} from '@brezel/core';

/** The array that holds the elements of each type of tensor, as in onnxruntime. */
export interface TensorData {
  float32: Float32Array;
  uint8: Uint8Array;
  int8: Int8Array;
  uint16: Uint16Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  string: string[];
  bool: Uint8Array;
  /** Each element holds the bits of a half-precision float. */
  float16: Uint16Array;
  float64: Float64Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
}

/** The name of an element type, as in onnxruntime. */
export type TensorType = keyof TensorData;

type TypedArrays = TensorData[Exclude<TensorType, 'string'>];
type TypedArrayClass = new (length: number) => TypedArrays;

/** For each tensor type, the class of the array that holds the elements. */
const classes: Readonly<Record<TensorType, TypedArrayClass | ArrayConstructor>> = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  string: Array,
  bool: Uint8Array,
  float16: Uint16Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
};

export const isTensorType = (type: unknown): type is TensorType =>
  typeof type === 'string' && Object.hasOwn(classes, type);

/** Returns whether data is an array of the class that a tensor type needs. */
export const isDataOf = (type: TensorType, data: unknown): boolean => data instanceof classes[type];

/** Returns a new array for the elements of a tensor. The elements of a typed array are 0. */
export const newData = (type: TensorType, length: number): TypedArrays | unknown[] => new classes[type](length);

/**
 * Returns the tensor type of data that a caller passed without a type, or undefined if no type
 * fits.
 */
export function typeOfData(data: unknown): TensorType | undefined {
  if (data instanceof Uint8ClampedArray) return 'uint8';
  if (Array.isArray(data))
    return typeof data[0] === 'string' ? 'string' : typeof data[0] === 'boolean' ? 'bool' : undefined;
  // float16 and bool share their classes with uint16 and uint8, which come first
  return (Object.keys(classes) as TensorType[]).find((type) => type !== 'string' && isDataOf(type, data));
}

/**
 * Converts a tensor of onnxruntime's form to a tensor of a tensor program. Converts float16 bits to
 * numbers; other types use the same array.
 */
export function programTensor(type: TensorType, data: TensorData[TensorType], dims: readonly number[]): ProgramTensor {
  const elements = type === 'float16' ? fromFloat16(data as Uint16Array) : data;
  return { element: type, shape: dims, data: elements } as ProgramTensor;
}

/**
 * Converts a tensor of a tensor program to onnxruntime's form. Returns undefined for an element
 * type that onnxruntime-node does not have, such as bfloat16.
 */
export function typedData({ element, data }: ProgramTensor): [TensorType, TensorData[TensorType]] | undefined {
  if (!isTensorType(element)) return undefined;
  if (element === 'float16') return [element, toFloat16(data as Float32Array)];
  return [element, data as TensorData[TensorType]];
}

/**
 * Converts values of answers to the array of a tensor type. A 64-bit integer above 2^63 - 1 becomes
 * 2^63 - 1.
 */
export function dataOfValues(type: TensorType, values: readonly unknown[]): TensorData[TensorType] {
  if (type === 'string') return values.map(String);
  if (type === 'float16') return toFloat16(Float32Array.from(values as number[], Number));
  const data = elementArray(type as NumericElement, values.length);
  const read = readers[type] ?? Number;
  for (let index = 0; index < values.length; index++) data[index] = read(values[index]) as never;
  return data as TensorData[TensorType];
}

/**
 * Functions that read 64-bit integers, which may be bigints. In an answer, a uint64 is an int64
 * with the same bits.
 */
const readers: { readonly [T in TensorType]?: (value: unknown) => bigint } = {
  int64: (value) => int64Of(value as number | bigint),
  uint64: (value) => BigInt.asUintN(64, int64Of(value as number | bigint)),
};
