import type { Attributes } from './attributes.js';
import type { Answer, Row, Typed } from './rows.js';
import type { ValueType } from './types.js';

/**
 * Version of the plan format, incremented when the meaning of a plan changes. A runtime rejects
 * plans of another version.
 */
export const PLAN_VERSION = 1;

/** The id of a parameter in the object store, which is a checksum of its content. */
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
 * A call of one kernel that implements one or more adjacent operators of a stage, with the slots it
 * reads and writes.
 */
export interface KernelCall {
  readonly kernel: string;
  readonly inputs: readonly number[];
  readonly output: number;
  readonly parameters: readonly ParameterId[];
  readonly attributes: readonly number[];
  /**
   * Indices of the steps that the call implements, in order. `output` is the slot of the last
   * step's result.
   */
  readonly steps: readonly number[];
}

/**
 * Operators of a plan that run together, and the kernels that run them.
 *
 * `program` is a checksum of operators, attributes and types. `key` is a checksum of the parameters
 * too: plans share the stages that have equal keys.
 */
export interface PhysicalStage {
  readonly key: string;
  readonly program: string;
  readonly role: StageRole;
  readonly inputs: readonly ValueType[];
  readonly steps: readonly Step[];
  readonly outputs: readonly number[];
  /**
   * The kernel calls of the stage. Undefined if an operator has no native kernel; the stage then
   * runs in JavaScript.
   */
  readonly calls: readonly KernelCall[] | undefined;
}

/**
 * A featurizer stage computes inputs of a model, and plans of a family often share it. A model
 * stage has the weights of one model.
 */
export type StageRole = 'featurizer' | 'model';

/**
 * Properties of a stage that Oven derives for the runtime and for EXPLAIN. These properties never
 * change an answer, and stages that differ only in them are equal.
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
   * True if caching the result of the stage can save time: several plans may need the result for
   * the same input, and computing it takes longer than a lookup.
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
   * Which elements of the input may be null, "NaN" or absent: a list with a flag for each element,
   * or `true` for all elements. Set by `register` with `missing: 'accept'`.
   */
  readonly missing?: true | readonly boolean[];
}

export interface OutputPort {
  readonly name: string;
  readonly type: ValueType;
  readonly slot: number;
  /** Index of the output's first number in an out-array. The output fills `length` entries. */
  readonly offset: number;
  readonly length: number;
  /** The texts of a string output. An out-array receives the index of the text in this list. */
  readonly labels?: readonly string[];
  /**
   * The integers that an int64 output can contain, in the order of the classes: the labels of a
   * classifier. Missing if there are more than 1000, or if one of them exceeds 2^53.
   */
  readonly integerLabels?: readonly number[];
  /**
   * True if an integer of this output that float64 cannot represent is a bigint in answers.
   * Otherwise it is a rounded number. All other integers are numbers.
   */
  readonly wide?: true;
  /**
   * True if answers contain, for each float32 number, the shortest decimal number that rounds to
   * it. Set by `register` with `answers: { float32: 'short' }`.
   */
  readonly short?: true;
}

/**
 * The optional rules that Oven stopped in a very long program, because their changes would take too
 * long. The plan is correct, but may be slower.
 */
export interface StoppedRules {
  /** The limit: the number of nodes that optional rules may change in one compilation. */
  readonly changedNodes: number;
  /** Names of the rules that could still change the plan, in the order of their steps. */
  readonly rules: readonly string[];
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
  /** The number of entries in an out-array for each row. */
  readonly width: number;
  /**
   * Expected cost of one row on one thread, in nanoseconds: reading the row, running the stages,
   * and writing the answer.
   */
  readonly nanosPerRow: number;
  /**
   * The optional rules that Oven stopped in a very long program. Undefined if Oven applied every
   * rule until none changed the plan, and for plans of a fleet file.
   */
  readonly stoppedRules?: StoppedRules;
}
