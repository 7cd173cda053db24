import type { Attributes } from './attributes.js';
import type { Block, NumericArrays, NumericDType } from './blocks.js';
import type { ValueType } from './types.js';

/** A parameter as JavaScript reads it: a typed array of numbers, or strings. */
export type ParameterValue =
  | NumericParameter
  | { readonly dtype: 'string'; readonly shape: readonly number[]; readonly values: readonly string[] };

export type NumericParameter = {
  [D in NumericDType]: { readonly dtype: D; readonly shape: readonly number[]; readonly data: NumericArrays[D] };
}[NumericDType];

/** The arguments of a reference kernel, which runs one operator on `rows` rows. */
export interface ReferenceCall {
  readonly rows: number;
  readonly inputs: readonly Block[];
  readonly inputTypes: readonly ValueType[];
  readonly type: ValueType;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/**
 * A function that computes an operator in the simplest way. Its result defines the answer of the
 * operator in every engine.
 */
export type ReferenceKernel = (call: ReferenceCall) => Block;
