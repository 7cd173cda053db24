import { type DictionaryType, type DType, dtypeOf, printType, sizeOf, type ValueType } from '@brezel/core';
import { shown } from './custom/row-values.js';
import type { OperatorUse } from './define-op.js';
import { flourError } from './errors.js';

/**
 * A program is rejected with ERR_FLOUR_SIZE if a value has more elements than this, or if its
 * answer has more numbers. Without this limit, a hostile file could request terabytes of memory.
 */
export const MAX_COLUMNS = 2 ** 24;
/** A tensor of a row with more axes than this is rejected with ERR_FLOUR_SIZE. */
export const MAX_AXES = 16;

const ELEMENTS: readonly unknown[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'] satisfies DType[];

/**
 * Checks that an element type is one of `known`, by default any valid element type. TypeScript
 * checks this too, but plain JavaScript may pass any value. `hint` becomes the hint of the error.
 *
 * @throws ERR_FLOUR_TYPE for an unknown element type.
 */
export function ofElement(at: string, dtype: unknown, known = ELEMENTS, hint = ELEMENT_HINT): void {
  if (known.includes(dtype)) return;
  const received = typeof dtype === 'string' ? JSON.stringify(dtype) : typeof dtype;
  throw flourError('ERR_FLOUR_TYPE', { expected: known.join(', '), received, at, hint });
}

export const ELEMENT_HINT =
  "columns({ age: 'float32' }) takes names of element types, input('x', vector('float32', 4)) a type";

/**
 * Checks an object of named values, such as `{ age: 'float32' }`. `hint` becomes the hint of the
 * error.
 *
 * @throws ERR_FLOUR_TYPE for lists, texts and missing values.
 */
export function ofNames(at: string, expected: string, names: unknown, hint: string): void {
  const isNames = typeof names === 'object' && names !== null && !isListed(names);
  if (!isNames) throw flourError('ERR_FLOUR_TYPE', { expected, received: shown(names), at, hint });
}

/**
 * Returns whether a value is an array, a Map or a Set. `Object.entries` does not return the entries
 * of such a value by name.
 */
const isListed = (value: object): boolean =>
  Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set;

/**
 * Checks the type of a program input.
 *
 * @throws ERR_FLOUR_TYPE for an invalid type, or for an unknown element type.
 */
export function ofInput(at: string, type: ValueType): ValueType {
  if (typeof type !== 'object' || type === null)
    throw flourError('ERR_FLOUR_TYPE', {
      expected: 'a type',
      received: typeof type === 'string' ? JSON.stringify(type) : type === undefined ? 'nothing' : shown(type),
      at,
      hint: ELEMENT_HINT,
    });
  ofKind(at, type, 'scalar', 'vector', 'tensor', 'dictionary');
  if (type.kind !== 'dictionary') ofElement(at, dtypeOf(type));
  return ofUsableSize(at, type);
}

/**
 * Checks that a type has at least one element, and not too many elements or axes.
 *
 * @throws ERR_FLOUR_SIZE for a type without elements, or with more than `MAX_COLUMNS` elements or
 * `MAX_AXES` axes.
 */
export function ofUsableSize(at: string, type: ValueType): ValueType {
  const size = type.kind === 'tokens' ? 1 : sizeOf(type);
  const axes = type.kind === 'tensor' ? type.shape : [];
  if (axes.length > MAX_AXES || !axes.every((axis) => Number.isInteger(axis) && axis >= 1))
    throw flourError('ERR_FLOUR_SIZE', { expected: `at most ${MAX_AXES} axes`, received: printType(type), at });
  if (Number.isInteger(size) && size >= 1 && size <= MAX_COLUMNS) return type;
  throw flourError('ERR_FLOUR_SIZE', { expected: `1 to ${MAX_COLUMNS} columns`, received: printType(type), at });
}

/**
 * Returns the type of an operator's only input. Throws if the operator use has several inputs, or
 * an input of another kind.
 */
export function onlyInput(at: string, use: OperatorUse, ...kinds: ValueType['kind'][]): ValueType {
  if (use.inputs.length !== 1) {
    throw flourError('ERR_FLOUR_GRAPH', { expected: 'one input', received: `${use.inputs.length}`, at });
  }
  return ofKind(at, use.inputs[0]!, ...kinds);
}

export function ofKind(at: string, type: ValueType, ...kinds: ValueType['kind'][]): ValueType {
  if (kinds.includes(type.kind)) return type;
  throw flourError('ERR_FLOUR_TYPE', { expected: kinds.join(' or '), received: printType(type), at });
}

export function ofText(at: string, use: OperatorUse): ValueType {
  const type = onlyInput(at, use, 'scalar');
  if (dtypeOf(type) !== 'string')
    throw flourError('ERR_FLOUR_TYPE', { expected: 'text', received: printType(type), at });
  return type;
}

export function ofDictionary(at: string, use: OperatorUse): DictionaryType {
  return onlyInput(at, use, 'dictionary') as DictionaryType;
}

/** Checks that a type holds dense or sparse numbers of one of these element types. */
export function ofNumbers(at: string, type: ValueType, ...dtypes: DType[]): ValueType {
  ofKind(at, type, 'scalar', 'vector', 'sparse');
  if (dtypes.includes(dtypeOf(type))) return type;
  throw flourError('ERR_FLOUR_TYPE', { expected: dtypes.join(' or '), received: printType(type), at });
}

/** Checks the number of elements of a parameter. */
export function ofLength(at: string, name: string, use: OperatorUse, expected: number): void {
  const shape = use.parameters[name]?.shape ?? [];
  const received = shape.reduce((product, size) => product * size, 1);
  if (use.parameters[name] === undefined || received !== expected) {
    throw flourError('ERR_FLOUR_SIZE', { expected: `${expected} ${name}`, received: `${received}`, at });
  }
}

/**
 * Checks that the parameters `names`, which hold counts or indices, are int32. A plan from a file
 * may store another element type.
 */
export function ofIntegers(at: string, use: OperatorUse, names: readonly string[]): void {
  for (const name of names) {
    const dtype = use.parameters[name]?.dtype;
    if (dtype !== 'int32')
      throw flourError('ERR_FLOUR_TYPE', { expected: `int32 ${name}`, received: dtype ?? 'nothing', at });
  }
}

/**
 * Returns the dense type with the size of `type` and the element type `dtype`. A scalar stays a
 * scalar.
 */
export function denseLike(type: ValueType, dtype: DType): ValueType {
  return type.kind === 'scalar' ? { kind: 'scalar', dtype } : { kind: 'vector', dtype, size: sizeOf(type) };
}
