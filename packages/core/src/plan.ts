import type { Attributes } from './attributes.js';
import type { Answer, Row, Typed } from './rows.js';
import type { ValueType } from './types.js';

/**
 * Version of the plan format, incremented when the meaning of a plan changes. A runtime rejects
 * plans of another version.
 */
export const PLAN_VERSION = 1;

/** Content id of a parameter in the object store. */
export type ParameterId = string;

/**
 * One operator inside a stage. The slots of a stage are numbered: first the inputs, then the
 * results of its steps.
 */
export interface Step {
  readonly operator: string;
  readonly version: number;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterId>>;
  readonly inputs: readonly number[];
  readonly type: ValueType;
}

/**
 * A call of one kernel that implements one or more adjacent steps, with the slots it reads and
 * writes.
 */
export interface KernelCall {
  readonly kernel: string;
  readonly inputs: readonly number[];
  readonly output: number;
  readonly parameters: readonly ParameterId[];
  readonly attributes: readonly number[];
  /**
   * Indices of the steps that the call implements, in order. `output` is the slot of the last one.
   */
  readonly steps: readonly number[];
}

/**
 * Steps that run together, and the kernels chosen for them.
 *
 * `program` identifies the operators, attributes and types. `key` also covers the parameters:
 * stages with equal keys are the same stage.
 */
export interface PhysicalStage {
  readonly key: string;
  readonly program: string;
  readonly role: StageRole;
  readonly inputs: readonly ValueType[];
  readonly steps: readonly Step[];
  readonly outputs: readonly number[];
  /** Undefined when a step has no native kernel. Such a stage runs in JavaScript. */
  readonly calls: readonly KernelCall[] | undefined;
}

/**
 * Featurizer stages hold dictionaries and similar data and are shared between plans. Model stages
 * hold the weights of one model.
 */
export type StageRole = 'featurizer' | 'model';

/**
 * Properties of a stage that Oven derives, for schedulers and for EXPLAIN. They never change an
 * answer and are not part of the stage's identity.
 */
export interface StageMarks {
  /**
   * Largest number of entries per row for each output, from training statistics if available, else
   * from the type. Infinity for texts and tokens.
   */
  readonly maxVectorSizes: readonly number[];
  /**
   * True if the stage does only arithmetic on dense values of fixed sizes. Its kernels use SIMD
   * registers for blocks of rows.
   */
  readonly vectorizable: boolean;
  /**
   * True if the result is worth caching under the checksum of the input: several plans may need it,
   * and computing it costs more than a lookup.
   */
  readonly materializable: boolean;
  /** Expected cost of one row, in nanoseconds. */
  readonly nanosPerRow: number;
}

/**
 * A stage in a plan. The slots of a plan are numbered: first the inputs, then the outputs of its
 * stages in order.
 */
export interface PlannedStage {
  readonly stage: PhysicalStage;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly marks: StageMarks;
}

export interface InputPort {
  readonly name: string;
  readonly type: ValueType;
  /** True if no stage reads this input. Rows may omit it, and its values are ignored. */
  readonly unused?: true;
  /**
   * Set by `register` with `missing: 'accept'`: whether each element may be null, "NaN" or absent.
   * `true` means all elements.
   */
  readonly missing?: true | readonly boolean[];
}

export interface OutputPort {
  readonly name: string;
  readonly type: ValueType;
  readonly slot: number;
  /** Position of the output's numbers in an out-array: `offset .. offset + length`. */
  readonly offset: number;
  readonly length: number;
  /** Label texts. A string output is written to an out-array as an index into this list. */
  readonly labels?: readonly string[];
  /**
   * True if the integers can exceed 2^53, so that they are returned as bigint. Without it, integers
   * are returned as numbers, and larger ones are rounded.
   */
  readonly wide?: true;
  /**
   * Set by `register` with `answers: { float32: 'short' }`: answers hold the shortest decimals of
   * the float32 numbers.
   */
  readonly short?: true;
}

/**
 * The plan that Oven creates and the runtime runs: plain data plus parameter ids.
 *
 * @typeParam R the rows that the plan accepts. Default: any row.
 * @typeParam A the answers that the plan returns. Default: any answer.
 */
export interface CompiledPlan<R = Row, A = Answer> extends Typed<R, A> {
  readonly version: number;
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  readonly stages: readonly PlannedStage[];
  /** Every parameter that a step or a kernel call needs. */
  readonly parameters: readonly ParameterId[];
  /** Numbers per row in an out-array. */
  readonly width: number;
  /**
   * Expected cost of one row on one thread, in nanoseconds: reading the row, running the stages,
   * and writing the answer.
   */
  readonly nanosPerRow: number;
}
