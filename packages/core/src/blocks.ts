import type { DType } from './types.js';

/** The typed array for each numeric element type in the JavaScript engines. */
export interface NumericArrays {
  float32: Float32Array;
  float64: Float64Array;
  int64: BigInt64Array;
  int32: Int32Array;
  bool: Uint8Array;
}
export type NumericDType = keyof NumericArrays;
export type NumericArray = NumericArrays[NumericDType];

/**
 * The values of several rows that one operator or stage passes to the next. A single row is a block
 * of one row.
 *
 * The JavaScript engines (the reference and the fast kernels) use these objects. The addon uses
 * plain memory with the same meaning (native/README.md).
 */
export type Block = StringBlock | TokensBlock | SparseBlock | DenseBlock | DictionaryBlock;

/**
 * `rows * size` strings in row-major order. Each string is well-formed UTF-16. An input of type
 * text is a string block of size 1.
 */
export interface StringBlock {
  readonly kind: 'strings';
  readonly rows: number;
  readonly size: number;
  readonly values: readonly string[];
}

export interface TokensBlock {
  readonly kind: 'tokens';
  readonly rows: number;
  readonly values: readonly (readonly string[])[];
}

/**
 * The value of one key: a number, a text, or (in mixed dictionaries) a list of texts. Integers are
 * bigint.
 */
export type DictionaryEntry = number | bigint | string | readonly string[];
export type Dictionary = ReadonlyMap<string, DictionaryEntry>;

/**
 * One dictionary per row, with distinct keys in the caller's order. Only JavaScript engines use
 * dictionaries.
 */
export interface DictionaryBlock {
  readonly kind: 'dictionary';
  readonly rows: number;
  readonly values: readonly Dictionary[];
}

/**
 * Sparse rows in CSR format. The entries of row `r` are at the indices from `offsets[r]` up to, but
 * not including, `offsets[r + 1]`. The ids of a row are distinct, in order of first occurrence.
 */
export interface SparseBlock {
  readonly kind: 'sparse';
  readonly rows: number;
  readonly size: number;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
  readonly values: Float32Array;
}

/** `rows * size` numbers, row-major. */
export interface DenseBlock<D extends NumericDType = NumericDType> {
  readonly kind: 'dense';
  readonly rows: number;
  readonly size: number;
  readonly dtype: D;
  readonly values: NumericArrays[D];
}

const constructors = {
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  int32: Int32Array,
  bool: Uint8Array,
} as const;

/** Returns a zeroed typed array of `length` elements. */
export function numericArray<D extends NumericDType>(dtype: D, length: number): NumericArrays[D] {
  return new constructors[dtype](length) as NumericArrays[D];
}

export const dense = <D extends NumericDType>(
  dtype: D,
  rows: number,
  size: number,
  values: NumericArrays[D] = numericArray(dtype, rows * size),
): DenseBlock<D> => ({ kind: 'dense', rows, size, dtype, values });

export const strings = (rows: number, size: number, values: readonly string[]): StringBlock => ({
  kind: 'strings',
  rows,
  size,
  values,
});

/**
 * Returns the bytes of one element in parameters and dense blocks. Returns NaN for strings, whose
 * size varies.
 */
export function bytesPerElement(dtype: DType): number {
  return dtype === 'string' ? Number.NaN : constructors[dtype].BYTES_PER_ELEMENT;
}
