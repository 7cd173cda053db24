import type { Attributes } from './attributes.js';
import type { Block } from './blocks.js';
import type { ContributionRules } from './contributions.js';
import type { PhysicalStage, Step } from './plan.js';
import type { ParameterValue, ReferenceKernel } from './reference-kernel.js';
import type { ValueType } from './types.js';

/**
 * The arguments of a fast JavaScript kernel. Parameters are bytes in the formats that the addon
 * reads.
 */
export interface FastCall {
  readonly rows: number;
  readonly inputs: readonly Block[];
  readonly type: ValueType;
  readonly attributes: readonly number[];
  readonly parameters: readonly Uint8Array[];
}

/**
 * A fast JavaScript version of a native kernel, for machines without an addon. It returns the same
 * bits as the reference.
 */
export type FastKernel = (call: FastCall) => Block;

/** The arguments of `KernelTable.missing`: one input of a step, and the result of the step. */
export interface MissingCall {
  readonly step: Step;
  readonly inputTypes: readonly ValueType[];
  /** Index of the input in the step. */
  readonly input: number;
  /** For each element of the result: 1 if later steps define the answer for NaN, otherwise 0. */
  readonly after: Uint8Array;
  parameter(name: string): ParameterValue;
}

/** The arguments of `KernelTable.quality`: one input of a step. */
export type QualityCall = Omit<MissingCall, 'after'>;

/** Properties of an input of a step that the counters of data quality use. */
export interface StepQuality {
  /**
   * For each element of the result, the element of the input that it holds, or -1. Undefined if the
   * result holds no element of the input.
   */
  readonly passes?: Int32Array;
  /** `scale * x + offset` for each passed element `x`. Undefined if elements do not change. */
  readonly affine?: { readonly scale: Float64Array; readonly offset: Float64Array };
  /** Set for a step that multiplies by constants (`factor`), or adds constants (`offset`). */
  readonly scaling?: 'factor' | 'offset';
  /** A value that means "missing" in addition to NaN. */
  readonly missing?: number | string;
  /** Name of the parameter with the known values: categories or labels. */
  readonly known?: string;
  /** The smallest and largest threshold of each element of the input; NaN without thresholds. */
  readonly range?: { readonly least: Float64Array; readonly greatest: Float64Array };
}

/** Reference kernels by operator name, and fast kernels by kernel name. */
export interface KernelTable {
  /**
   * Returns the reference kernel of an operator; undefined if the operator is not defined in this
   * thread.
   */
  reference(operator: string, version: number): ReferenceKernel | undefined;
  readonly fast: Readonly<Record<string, FastKernel>>;
  /**
   * Returns the time limit in milliseconds for one call of a custom operator on a block; undefined
   * for operators without a limit.
   */
  deadlineMs?(operator: string, version: number): number | undefined;
  /**
   * For each element of an input, returns 1 if the step or later steps define the answer for NaN,
   * otherwise 0. Returns undefined for an operator without a rule for NaN. The function is absent
   * if the definitions of the operators are not loaded.
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
   * Returns what a step reveals about the values of one of its inputs. The function is absent if
   * the definitions of the operators are not loaded.
   */
  readonly quality?: ((call: QualityCall) => StepQuality | undefined) | undefined;
  /**
   * Throws when the steps of a stage do not fit together. Called before JavaScript runs or inspects
   * the stage. If absent, every stage is accepted.
   */
  checkStage?(stage: PhysicalStage): void;
}
