/** Element types of parameters and of dense values. */
export type DType = 'float32' | 'float64' | 'int64' | 'int32' | 'bool' | 'string';

/**
 * The type of an input, an output, or a value between stages, for one row. A block holds the values
 * of several rows.
 *
 * | kind | one row is | ONNX shape |
 * |---|---|---|
 * | scalar | one element (text is a scalar string) | `[N]` |
 * | vector | `size` elements | `[N, size]` |
 * | tensor | elements with two or more axes, row-major | `[N, ...shape]` |
 * | sparse | float32 entries with distinct ids below `size` | `[N, size]` |
 * | tokens | any number of strings | `[N, C]`, padded |
 * | map | `size` named float32 numbers | sequence of maps (ZipMap) |
 * | dictionary | any number of values under arbitrary keys | map |
 */
export type ValueType =
  | ScalarType
  | VectorType
  | { readonly kind: 'tensor'; readonly dtype: DType; readonly shape: readonly number[] }
  | { readonly kind: 'sparse'; readonly size: number }
  | { readonly kind: 'tokens' }
  | { readonly kind: 'map'; readonly keys: readonly string[] }
  | DictionaryType;

/** One element for each row. A text is a scalar of type `string`. */
export interface ScalarType<D extends DType = DType> {
  readonly kind: 'scalar';
  readonly dtype: D;
}

/** A vector of `size` elements. */
export interface VectorType<D extends DType = DType> {
  readonly kind: 'vector';
  readonly dtype: D;
  readonly size: number;
}

/**
 * A dictionary with arbitrary keys: each row has its own set of keys. Integer keys are written as
 * decimal strings.
 */
export interface DictionaryType<Values extends DictionaryValue = DictionaryValue> {
  readonly kind: 'dictionary';
  readonly keys: 'string' | 'int64';
  /** `mixed` allows numbers (float64), texts and lists of texts in one dictionary. */
  readonly values: Values;
}
export type DictionaryValue = 'float32' | 'float64' | 'int64' | 'string' | 'mixed';

/** Returns the type of one element: a number, a bool or a text. */
export const scalar = <const D extends DType>(dtype: D): ScalarType<D> => ({ kind: 'scalar', dtype });
/** Returns the type of a dense vector with `size` elements. */
export const vector = <const D extends DType>(dtype: D, size: number): VectorType<D> => ({
  kind: 'vector',
  dtype,
  size,
});
/**
 * Returns the type of a row with axes of the given sizes. A row without axes is a scalar, and a row
 * with one axis is a vector.
 */
export function tensor(dtype: DType, shape: readonly number[]): ValueType {
  if (shape.length === 0) return scalar(dtype);
  return shape.length === 1 ? vector(dtype, shape[0]!) : { kind: 'tensor', dtype, shape };
}

export const sparse = (size: number): ValueType => ({ kind: 'sparse', size });
export const text: ValueType = { kind: 'scalar', dtype: 'string' };
export const tokens: ValueType = { kind: 'tokens' };

/**
 * Returns the number of elements in a row of this type. Returns 1 for a scalar and for a
 * dictionary, and NaN for tokens, whose number varies.
 */
export function sizeOf(type: ValueType): number {
  switch (type.kind) {
    case 'scalar':
      return 1;
    case 'vector':
    case 'sparse':
      return type.size;
    case 'tensor':
      return type.shape.reduce((product, size) => product * size, 1);
    case 'map':
      return type.keys.length;
    case 'dictionary':
      return 1;
    case 'tokens':
      return Number.NaN;
  }
}

/**
 * Returns the sizes of the axes of one row: an empty list for a scalar. Types other than scalars
 * and tensors have one axis of `sizeOf(type)` elements.
 */
export function shapeOf(type: ValueType): readonly number[] {
  if (type.kind === 'scalar') return [];
  return type.kind === 'tensor' ? type.shape : [sizeOf(type)];
}

export function dtypeOf(type: ValueType): DType {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'tensor':
      return type.dtype;
    case 'sparse':
    case 'map':
      return 'float32';
    case 'tokens':
    case 'dictionary':
      return 'string';
  }
}

/** Formats a type for EXPLAIN and errors: `text`, `sparse float32[2200]`, `float32[2]`, `int64`. */
export function printType(type: ValueType): string {
  switch (type.kind) {
    case 'scalar':
      return type.dtype === 'string' ? 'text' : type.dtype;
    case 'vector':
      return `${type.dtype}[${type.size}]`;
    case 'tensor':
      return `${type.dtype}[${type.shape.join(', ')}]`;
    case 'sparse':
      return `sparse float32[${type.size}]`;
    case 'tokens':
      return 'tokens';
    case 'dictionary':
      return `dictionary<${type.keys}, ${type.values}>`;
    case 'map':
      return `map{${type.keys.slice(0, 4).join(', ')}${type.keys.length > 4 ? ', ...' : ''}}`;
  }
}

export function sameType(a: ValueType, b: ValueType): boolean {
  if (a.kind !== b.kind || dtypeOf(a) !== dtypeOf(b)) return false;
  if (a.kind === 'map' && b.kind === 'map') return a.keys.join('\0') === b.keys.join('\0');
  if (a.kind === 'dictionary' && b.kind === 'dictionary') return a.keys === b.keys && a.values === b.values;
  if (a.kind === 'tensor' && b.kind === 'tensor') return a.shape.join() === b.shape.join();
  return a.kind === 'tokens' || sizeOf(a) === sizeOf(b);
}
