import type { SmallFloat } from './math/small-floats.js';

/**
 * Element types of tensors in tensor programs: those of ONNX but for complex numbers. Floats of 16 bits and less are held in float32, each a value
 * of its own type: operators round their results with `roundTo`. Integers of 4 and 2 bits are held one a byte.
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

export type NumericElement = keyof Arrays;

/** A tensor of numbers or bools, row-major. An empty shape is a scalar: one element. */
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

/** A tensor of a tensor program. Data may be shared between tensors: nobody writes into it once it is made. */
export type Tensor = { [E in NumericElement]: NumericTensor<E> }[NumericElement] | StringTensor;

/** What a value of a tensor program is: a tensor, or a sequence of them (`SequenceConstruct`, ...). */
export type TensorValue = Tensor | { readonly element: 'sequence'; readonly tensors: readonly Tensor[] };

/** A zeroed array for `length` elements of the type. */
export function elementArray<E extends NumericElement>(element: E, length: number): Arrays[E] {
  return new arrays[element](length) as Arrays[E];
}

/** Elements a tensor of this shape has: 1 for a scalar. */
export function elementCount(shape: readonly number[]): number {
  let count = 1;
  for (const size of shape) count *= size;
  return count;
}

/** An input or output of a tensor program, as the file declares it. */
export interface TensorPort {
  readonly name: string;
  readonly kind: 'tensor' | 'sequence';
  /** Undefined where the file does not say. */
  readonly element: ElementType | undefined;
  /** Sizes; the name or null of a free one. Undefined where not even the rank is known. Of a sequence: of each of its tensors. */
  readonly shape: readonly (number | string | null)[] | undefined;
  /** A request may leave this input out: the program brings a value for it, or nothing is a value, too. */
  readonly optional?: true;
  /** Of ONNX's optional type: nothing is a value, too. Such an output is left out of the answer. */
  readonly nullable?: true;
}

/** `float32[N, 4]`, `sequence of int64[?]`: as people read them. */
export function printPort({ kind, element, shape, nullable }: Omit<TensorPort, 'name'>): string {
  const sizes = shape === undefined ? '' : `[${shape.map((size) => size ?? '?').join(', ')}]`;
  return `${nullable ? 'optional ' : ''}${kind === 'sequence' ? 'sequence of ' : ''}${element ?? 'any'}${sizes}`;
}
