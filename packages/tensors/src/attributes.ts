import type { TensorCall } from './define.js';
import type { Tensor } from './tensor.js';

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isTensor = (value: unknown): value is Tensor =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'element' in value;

function read<T>(call: TensorCall, name: string, kind: string, fits: (value: unknown) => value is T, otherwise?: T): T {
  const value = call.attributes[name];
  if (value === undefined && otherwise !== undefined) return otherwise;
  if (fits(value)) return value;
  throw call.fault(
    value === undefined ? `no attribute '${name}'` : `attribute '${name}' of another type`,
    `${kind} as attribute '${name}'`,
  );
}

const listOf =
  <T>(fits: (value: unknown) => value is T) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && value.every(fits);

const isWhole = (value: unknown): value is number => isNumber(value) && Number.isInteger(value);

/** Returns whether the node has an attribute. */
export const hasAttribute = (call: TensorCall, name: string): boolean => call.attributes[name] !== undefined;

/**
 * Returns an integer attribute, or `otherwise` if it is missing. Without `otherwise`, the attribute
 * is required.
 */
export const intAttribute = (call: TensorCall, name: string, otherwise?: number): number =>
  read(call, name, 'an integer', isWhole, otherwise);

/**
 * Returns whether an attribute is 1. Use it for attributes such as `keepdims`, for which
 * onnxruntime reads every integer except 1 as false. `otherwise` applies if the attribute is
 * missing.
 */
export const isOne = (call: TensorCall, name: string, otherwise: boolean): boolean =>
  intAttribute(call, name, otherwise ? 1 : 0) === 1;

/** Returns whether a reduction keeps the axes that it reduces. */
export const keepsAxes = (call: TensorCall): boolean => isOne(call, 'keepdims', true);

/** Returns a flag attribute. Any integer except 0 is true. */
export const flagAttribute = (call: TensorCall, name: string, otherwise: boolean): boolean =>
  intAttribute(call, name, otherwise ? 1 : 0) !== 0;

export const floatAttribute = (call: TensorCall, name: string, otherwise?: number): number =>
  read(call, name, 'a number', isNumber, otherwise);

/** Returns a string attribute, which must be one of `choices`. */
export function choiceAttribute<T extends string>(
  call: TensorCall,
  name: string,
  choices: readonly T[],
  otherwise?: T,
): T {
  const value = stringAttribute(call, name, otherwise) as T;
  if (choices.includes(value)) return value;
  throw call.fault(`attribute '${name}' = '${value}'`, `attribute '${name}' as one of ${choices.join(', ')}`);
}

export const stringAttribute = (call: TensorCall, name: string, otherwise?: string): string =>
  read(call, name, 'a string', isText, otherwise);

export const intsAttribute = (call: TensorCall, name: string, otherwise?: readonly number[]): readonly number[] =>
  read(call, name, 'a list of integers', listOf(isWhole), otherwise);

export const floatsAttribute = (call: TensorCall, name: string, otherwise?: readonly number[]): readonly number[] =>
  read(call, name, 'a list of numbers', listOf(isNumber), otherwise);

export const stringsAttribute = (call: TensorCall, name: string, otherwise?: readonly string[]): readonly string[] =>
  read(call, name, 'a list of strings', listOf(isText), otherwise);

export const tensorAttribute = (call: TensorCall, name: string): Tensor => read(call, name, 'a tensor', isTensor);
