import type { SmallFloat } from './math/small-floats.js';

/**
 * Element types of tensors: all ONNX types except complex numbers.
 *
 * Floats of 16 bits or less are stored as float32 numbers, which `roundTo` rounds to the shorter
 * type. Integers of 4 and 2 bits are stored one per byte.
 */
export type ElementType =
  | 'float32'
  | 'float64'
  | 'float16'
  | 'bfloat16'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'bool'
  | 'string'
  | 'int4'
  | 'uint4'
  | 'int2'
  | 'uint2'
  | SmallFloat;

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Float32Array,
  bfloat16: Float32Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  int4: Int8Array,
  uint4: Uint8Array,
  int2: Int8Array,
  uint2: Uint8Array,
  float8e4m3fn: Float32Array,
  float8e4m3fnuz: Float32Array,
  float8e5m2: Float32Array,
  float8e5m2fnuz: Float32Array,
  float8e8m0: Float32Array,
  float4e2m1: Float32Array,
} as const;

type Arrays = { [E in keyof typeof arrays]: InstanceType<(typeof arrays)[E]> };

/** Element types of tensors of numbers or bools. */
export type NumericElement = keyof Arrays;

/** A tensor of numbers or bools, row-major. An empty shape means a scalar with one element. */
export interface NumericTensor<E extends NumericElement = NumericElement> {
  readonly element: E;
  readonly shape: readonly number[];
  readonly data: Arrays[E];
}

/** A tensor of well-formed strings, row-major. */
export interface StringTensor {
  readonly element: 'string';
  readonly shape: readonly number[];
  readonly data: readonly string[];
}

/**
 * A tensor of a tensor program. Several tensors may share one array, so code never changes an array
 * after it has become the data of a tensor.
 */
export type Tensor = { [E in NumericElement]: NumericTensor<E> }[NumericElement] | StringTensor;

/** A value of a tensor program: a tensor, or a sequence of tensors (`SequenceConstruct`, ...). */
export type TensorValue = Tensor | { readonly element: 'sequence'; readonly tensors: readonly Tensor[] };

/** Returns a zeroed array of `length` elements of the type. */
export function elementArray<E extends NumericElement>(element: E, length: number): Arrays[E] {
  return new arrays[element](length) as Arrays[E];
}

/** Returns the number of elements of a tensor with this shape: 1 for a scalar. */
export function elementCount(shape: readonly number[]): number {
  let count = 1;
  for (const size of shape) count *= size;
  return count;
}

/** An input or output of a tensor program, as the file declares it. */
export interface TensorPort {
  readonly name: string;
  readonly kind: 'tensor' | 'sequence';
  /** Undefined if the file does not declare an element type. */
  readonly element: ElementType | undefined;
  /**
   * The size of each axis. A name or null stands for a size that requests may choose. Undefined if
   * the number of axes is unknown. For a sequence, the shape of each of its tensors.
   */
  readonly shape: readonly (number | string | null)[] | undefined;
  /** A request may omit this input: the program has a default value for it, or it is nullable. */
  readonly optional?: true;
  /** True if the value has ONNX's type `optional`, so that a request or an answer may omit it. */
  readonly nullable?: true;
}

/** Formats the type of an input or output for people: `float32[N, 4]`, `sequence of int64[?]`. */
export function printPort({ kind, element, shape, nullable }: Omit<TensorPort, 'name'>): string {
  const sizes = shape === undefined ? '' : `[${shape.map((size) => size ?? '?').join(', ')}]`;
  return `${nullable ? 'optional ' : ''}${kind === 'sequence' ? 'sequence of ' : ''}${element ?? 'any'}${sizes}`;
}
