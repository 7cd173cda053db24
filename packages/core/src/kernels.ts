import type { Attributes } from './attributes.js';
import type { Block, NumericArrays, NumericDType } from './blocks.js';
import type { PhysicalStage } from './plan.js';
import type { ValueType } from './types.js';

/** A parameter as JavaScript reads it: numbers in a typed array, or strings. */
export type ParameterValue =
  | NumericParameter
  | { readonly dtype: 'string'; readonly shape: readonly number[]; readonly values: readonly string[] };

export type NumericParameter = {
  [D in NumericDType]: { readonly dtype: D; readonly shape: readonly number[]; readonly data: NumericArrays[D] };
}[NumericDType];

/** All that a reference kernel sees of one step over `rows` rows. */
export interface ReferenceCall {
  readonly rows: number;
  readonly inputs: readonly Block[];
  readonly inputTypes: readonly ValueType[];
  readonly type: ValueType;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** The definition of an operator's answer: slow, obvious, kept for ever. */
export type ReferenceKernel = (call: ReferenceCall) => Block;

/** What a fast JavaScript kernel sees: raw parameter bytes in the blob formats that the addon reads too. */
export interface FastCall {
  readonly rows: number;
  readonly inputs: readonly Block[];
  readonly type: ValueType;
  readonly attributes: readonly number[];
  readonly parameters: readonly Uint8Array[];
}

/** A fast JavaScript twin of a native kernel, for machines where no addon loads. Same bits as the reference. */
export type FastKernel = (call: FastCall) => Block;

/** Reference kernels by operator; fast kernels by kernel name. */
export interface KernelTable {
  /** The definition of an operator's answer; undefined where this thread does not know the operator. */
  reference(operator: string, version: number): ReferenceKernel | undefined;
  readonly fast: Readonly<Record<string, FastKernel>>;
  /** Milliseconds that an operator of a user may take for the rows it gets at once; undefined for one that ends. */
  deadlineMs?(operator: string, version: number): number | undefined;
  /** Asked before JavaScript runs a stage, or reads what its steps are. Throws where they do not fit together. Absent: they do. */
  checkStage?(stage: PhysicalStage): void;
}
