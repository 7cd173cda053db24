import { elementCount } from '@brezel/core';
import { runtimeError } from '@brezel/runtime';
import { isDataOf, isTensorType, newData, type TensorData, type TensorType, typeOfData } from './tensor-types.js';

/** A tensor with the fields that `InferenceSession` reads: one of Brezel, or one of onnxruntime. */
export interface TensorLike {
  readonly type: string;
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** A tensor of one type. It has the same fields as a tensor of onnxruntime on the CPU. */
export interface TypedTensor<T extends TensorType> {
  readonly type: T;
  /** The elements in row-major order. Half floats are in a Uint16Array, as their bits. */
  readonly data: TensorData[T];
  readonly dims: readonly number[];
  /** The number of elements. */
  readonly size: number;
  readonly location: 'cpu';
  /**
   * The names of the columns, for an output that the file declares as a map (ZipMap): the label of
   * each probability.
   */
  readonly labels?: readonly string[];
  /** Returns `data`. */
  getData(): Promise<TensorData[T]>;
  /** Does nothing: the garbage collector frees the data. */
  dispose(): void;
  /**
   * Returns a tensor with the same data and other sizes.
   * @throws ERR_RUNTIME_INPUT if the sizes have another product.
   */
  reshape(dims: readonly number[]): TypedTensor<T>;
}

/** A tensor of any type. */
export type Tensor = { [T in TensorType]: TypedTensor<T> }[TensorType] &
  Omit<TypedTensor<TensorType>, 'reshape'> & { reshape(dims: readonly number[]): Tensor };

export declare namespace Tensor {
  type Type = TensorType;
  type DataTypeMap = TensorData;
  type DataType = TensorData[TensorType];
}

type NumberType = Exclude<TensorType, 'string' | 'bool' | 'int64' | 'uint64' | 'float16'>;

/** The constructors of tensors, as in onnxruntime. Without `dims`, a tensor has one axis. */
export interface TensorConstructor {
  new (type: 'string', data: readonly string[], dims?: readonly number[]): TypedTensor<'string'>;
  new (type: 'bool', data: Uint8Array | readonly boolean[], dims?: readonly number[]): TypedTensor<'bool'>;
  new (type: 'float16', data: Uint16Array, dims?: readonly number[]): TypedTensor<'float16'>;
  new (type: 'uint8', data: Uint8ClampedArray, dims?: readonly number[]): TypedTensor<'uint8'>;
  new <T extends 'int64' | 'uint64'>(
    type: T,
    data: TensorData[T] | readonly (bigint | number)[],
    dims?: readonly number[],
  ): TypedTensor<T>;
  new <T extends NumberType>(
    type: T,
    data: TensorData[T] | readonly number[],
    dims?: readonly number[],
  ): TypedTensor<T>;
  new (data: Float32Array, dims?: readonly number[]): TypedTensor<'float32'>;
  new (data: Float64Array, dims?: readonly number[]): TypedTensor<'float64'>;
  new (data: BigInt64Array, dims?: readonly number[]): TypedTensor<'int64'>;
  new (data: BigUint64Array, dims?: readonly number[]): TypedTensor<'uint64'>;
  new (data: Int32Array, dims?: readonly number[]): TypedTensor<'int32'>;
  new (data: Uint32Array, dims?: readonly number[]): TypedTensor<'uint32'>;
  new (data: Int16Array, dims?: readonly number[]): TypedTensor<'int16'>;
  new (data: Uint16Array, dims?: readonly number[]): TypedTensor<'uint16'>;
  new (data: Int8Array, dims?: readonly number[]): TypedTensor<'int8'>;
  new (data: Uint8Array | Uint8ClampedArray, dims?: readonly number[]): TypedTensor<'uint8'>;
  new (data: readonly string[], dims?: readonly number[]): TypedTensor<'string'>;
  new (data: readonly boolean[], dims?: readonly number[]): TypedTensor<'bool'>;
  new (type: TensorType, data: unknown, dims?: readonly number[]): Tensor;
}

/**
 * The class behind the constructor `Tensor`. Sessions also create their results with this class.
 */
export class PlainTensor<T extends TensorType = TensorType> implements TypedTensor<T> {
  readonly type: T;
  readonly data: TensorData[T];
  readonly dims: readonly number[];
  readonly size: number;
  readonly location = 'cpu';
  declare readonly labels?: readonly string[];

  constructor(typeOrData: unknown, dataOrDims?: unknown, dims?: readonly number[], labels?: readonly string[]) {
    const hasType = typeof typeOrData === 'string';
    const [type, data, sizes] = hasType
      ? [typeOrData, dataOrDims, dims]
      : [typeOfData(typeOrData), typeOrData, dataOrDims as readonly number[] | undefined];
    if (!isTensorType(type))
      throw tensorError('a type such as float32, and its data', hasType ? `type ${typeOrData}` : 'data without a type');
    this.type = type as T;
    this.data = dataOf(type, data) as TensorData[T];
    this.dims = checkedDims(sizes ?? [this.data.length], this.data.length);
    this.size = this.data.length;
    if (labels !== undefined) this.labels = labels;
  }

  getData(): Promise<TensorData[T]> {
    return Promise.resolve(this.data);
  }

  dispose(): void {}

  reshape(dims: readonly number[]): PlainTensor<T> {
    return new PlainTensor<T>(this.type, this.data, dims);
  }
}

Object.defineProperty(PlainTensor, 'name', { value: 'Tensor' });

/** A tensor: a type, the elements, and the sizes of its axes. */
export const Tensor = PlainTensor as unknown as TensorConstructor;

/**
 * Checks the data of a new tensor and converts a list of numbers, bigints or booleans to a typed
 * array.
 */
function dataOf(type: TensorType, data: unknown): unknown {
  if (type === 'string') return checkedTexts(data);
  if (isDataOf(type, data)) return data;
  if (data instanceof Uint8ClampedArray && type === 'uint8')
    return new Uint8Array(data.buffer, data.byteOffset, data.length);
  if (!Array.isArray(data) || type === 'float16')
    throw tensorError(`data of ${newData(type, 0).constructor.name} for ${type}`, nameOf(data));
  const isBig = type === 'int64' || type === 'uint64';
  const [convert, isElement] = isBig ? [BigInt, isInteger] : [Number, isNumber];
  const array = newData(type, data.length) as unknown[];
  for (let index = 0; index < data.length; index++) {
    const value: unknown = data[index];
    if (!isElement(value))
      throw tensorError(`${isBig ? 'integers' : 'numbers'} for ${type}`, `${nameOf(value)} at ${index}`);
    array[index] = convert(value as number);
  }
  return array;
}

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

const isInteger = (value: unknown): boolean =>
  isNumber(value) && (typeof value !== 'number' || Number.isInteger(value));

function checkedTexts(data: unknown): unknown {
  if (!Array.isArray(data)) throw tensorError('an array of strings', nameOf(data));
  const wrong = data.findIndex((text) => typeof text !== 'string');
  if (wrong >= 0) throw tensorError('an array of strings', `${nameOf(data[wrong])} at ${wrong}`);
  return data;
}

function checkedDims(dims: unknown, length: number): readonly number[] {
  if (!Array.isArray(dims) || !dims.every(isSize))
    throw tensorError('dims, a list of sizes', Array.isArray(dims) ? `[${dims.slice(0, 16)}]` : nameOf(dims));
  if (elementCount(dims) !== length)
    throw tensorError(`${elementCount(dims)} elements for dims [${dims}]`, `${length} elements`);
  return [...dims];
}

/** Returns whether a value is a valid size or number of elements: an integer of at least 0. */
export const isSize = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const nameOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'an object') : String(value);

const tensorError = (expected: string, received: string) =>
  runtimeError('ERR_RUNTIME_INPUT', { expected, received, at: 'new Tensor' });
