/** Element types of parameters and of dense values. */
export type DType = 'float32' | 'float64' | 'int64' | 'int32' | 'bool' | 'string';

/**
 * The type of one value of one row. A block of `n` rows of it is what lies between stages.
 *
 * | kind | one row is | ONNX shape |
 * |---|---|---|
 * | scalar | one element (text is a scalar string) | `[N]` |
 * | vector | `size` elements | `[N, size]` |
 * | tensor | elements with two or more axes of their own, row-major | `[N, ...shape]` |
 * | sparse | float32 entries with distinct ids below `size` | `[N, size]` |
 * | tokens | any number of strings | `[N, C]`, padded |
 * | map | `size` float32 numbers under names | sequence of maps (ZipMap) |
 * | dictionary | any number of values under keys of any name | map |
 */
export type ValueType =
  | { readonly kind: 'scalar'; readonly dtype: DType }
  | { readonly kind: 'vector'; readonly dtype: DType; readonly size: number }
  | { readonly kind: 'tensor'; readonly dtype: DType; readonly shape: readonly number[] }
  | { readonly kind: 'sparse'; readonly size: number }
  | { readonly kind: 'tokens' }
  | { readonly kind: 'map'; readonly keys: readonly string[] }
  | DictionaryType;

/** Open keys: what one row holds is known when it comes. Keys that are integers are written as such. */
export interface DictionaryType {
  readonly kind: 'dictionary';
  readonly keys: 'string' | 'int64';
  /** `mixed`: numbers (float64), texts, and lists of texts side by side. */
  readonly values: DictionaryValue;
}
export type DictionaryValue = 'float32' | 'float64' | 'int64' | 'string' | 'mixed';

export const scalar = (dtype: DType): ValueType => ({ kind: 'scalar', dtype });
export const vector = (dtype: DType, size: number): ValueType => ({ kind: 'vector', dtype, size });
/** The type of a row whose elements have these axes: a scalar without any, a vector with one. */
export function tensor(dtype: DType, shape: readonly number[]): ValueType {
  if (shape.length === 0) return scalar(dtype);
  return shape.length === 1 ? vector(dtype, shape[0]!) : { kind: 'tensor', dtype, shape };
}

export const sparse = (size: number): ValueType => ({ kind: 'sparse', size });
export const text: ValueType = { kind: 'scalar', dtype: 'string' };
export const tokens: ValueType = { kind: 'tokens' };

/** Numbers (or strings) a row of this type holds; 1 for a scalar or a dictionary as a whole. Tokens have no fixed size. */
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

/** Axes of one row, without that of the rows: none for a scalar. Values without a shape have the one of their entries. */
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

/** `text`, `sparse float32[2200]`, `float32[2]`, `int64`: as people read types in EXPLAIN and in errors. */
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
