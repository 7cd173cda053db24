import type { Attributes } from './attributes.js';
import type { ContributionRules } from './contributions.js';
import type { PhysicalStage, Step } from './plan.js';
import type { ParameterValue, ReferenceKernel } from './reference-kernel.js';
import type { ValueType } from './types.js';

/** The arguments of `KernelTable.missing`: a use of an operator, and one of its inputs. */
export interface MissingCall {
  readonly step: Step;
  readonly inputTypes: readonly ValueType[];
  /** Index of the input among the inputs of the operator. */
  readonly input: number;
  /**
   * For each element of the result: 1 if a later operator that reads the element defines the answer
   * for NaN, otherwise 0.
   */
  readonly after: Uint8Array;
  parameter(name: string): ParameterValue;
}

/** The arguments of `KernelTable.quality`: a use of an operator, and one of its inputs. */
export type QualityCall = Omit<MissingCall, 'after'>;

/** The properties of one input of an operator that the counters of data quality read. */
export interface StepQuality {
  /**
   * For each element of the result, the index of the input element that the operator copies to it,
   * or -1. Undefined if the operator copies no element.
   */
  readonly passes?: Int32Array;
  /**
   * Set if the operator changes the elements that it copies: element `x` becomes `scale * x +
   * offset`.
   */
  readonly affine?: { readonly scale: Float64Array; readonly offset: Float64Array };
  /** Set for an operator that multiplies by constants (`factor`) or adds constants (`offset`). */
  readonly scaling?: 'factor' | 'offset';
  /** A value of the input that means "missing", in addition to NaN. */
  readonly missing?: number | string;
  /** Name of the parameter that contains the known values of the input: categories or labels. */
  readonly known?: string;
  /**
   * The usual range of each element of the input: for a forest, from the smallest to the largest
   * threshold of the element; for a min-max scaler, from its minimum to its maximum. NaN if the
   * element has no such range.
   */
  readonly range?: { readonly least: Float64Array; readonly greatest: Float64Array };
}

/** The functions that engines call for operators: above all, their reference kernels. */
export interface KernelTable {
  /**
   * Returns the reference kernel of an operator; undefined if the operator is not defined in this
   * thread.
   */
  reference(operator: string, version: number): ReferenceKernel | undefined;
  /**
   * Returns the time limit in milliseconds for one call of a custom operator on a block; undefined
   * for operators without a limit.
   */
  deadlineMs?(operator: string, version: number): number | undefined;
  /**
   * Returns, for each element of an input, 1 if this operator or later operators define an answer
   * for NaN, otherwise 0. Returns undefined if the operator does not define what NaN does. The
   * function is absent if the definitions of the operators are not loaded.
   */
  readonly missing?: ((call: MissingCall) => Uint8Array | undefined) | undefined;
  /**
   * Returns whether an operator copies integers from its inputs to its result. The function is
   * absent if the definitions of the operators are not loaded.
   */
  readonly passesIntegers?: ((operator: string, version: number, attributes: Attributes) => boolean) | undefined;
  /**
   * Returns the functions with which an operator explains its result, or undefined if it has none.
   * The property is absent if the definitions of the operators are not loaded.
   */
  readonly contributions?: ((operator: string, version: number) => ContributionRules | undefined) | undefined;
  /**
   * Returns the usual values of one input of an operator, such as categories or thresholds. The
   * function is absent if the definitions of the operators are not loaded.
   */
  readonly quality?: ((call: QualityCall) => StepQuality | undefined) | undefined;
  /**
   * Throws if the operators of a stage do not fit together. The runtime calls this function before
   * JavaScript runs or inspects the stage. If the function is absent, every stage is accepted.
   */
  checkStage?(stage: PhysicalStage): void;
}
