import type { Attributes } from './attributes.js';
import type { ValueType } from './types.js';

/** Raised when the meaning of plans changes; a runtime refuses plans of another version. */
export const PLAN_VERSION = 1;

/** Content id of a parameter in the object store. */
export type ParameterId = string;

/** One operator inside a stage. Slot `i` of a stage is its i-th input, then the result of its steps in order. */
export interface Step {
  readonly operator: string;
  readonly version: number;
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterId>>;
  readonly inputs: readonly number[];
  readonly type: ValueType;
}

/** A physical implementation of one or more neighbouring steps: the name of a kernel with what it reads and writes. */
export interface KernelCall {
  readonly kernel: string;
  readonly inputs: readonly number[];
  readonly output: number;
  readonly parameters: readonly ParameterId[];
  readonly attributes: readonly number[];
  /** The steps this call stands for, in order; the last one's slot is `output`. */
  readonly steps: readonly number[];
}

/**
 * Steps that run back to back, and the kernels chosen for them.
 * `program` identifies the kernel program alone (operators, attributes, types), `key` adds parameters: equal keys are one stage.
 */
export interface PhysicalStage {
  readonly key: string;
  readonly program: string;
  readonly role: StageRole;
  readonly inputs: readonly ValueType[];
  readonly steps: readonly Step[];
  readonly outputs: readonly number[];
  /** Undefined where some step has no kernel in the addon: such a stage runs in JavaScript. */
  readonly calls: readonly KernelCall[] | undefined;
}

/** Featurizer stages hold dictionaries and the like and are shared; model stages hold a model's own weights. */
export type StageRole = 'featurizer' | 'model';

/** What Oven found out about a stage of one plan, for schedulers and for people. Never changes an answer, and is no part of a stage's identity. */
export interface StageMarks {
  /** Entries that a row of each output has at most: as training statistics saw it, else as its type allows; Infinity for texts and tokens. */
  readonly maxVectorSizes: readonly number[];
  /** Nothing but arithmetic on dense values of fixed sizes: blocks of rows run in the lanes of vector registers. */
  readonly vectorizable: boolean;
  /** Worth keeping by the checksum of its input: several plans may ask for it, and it costs more than to find it again. */
  readonly materializable: boolean;
  /** What one row is expected to cost. */
  readonly nanosPerRow: number;
}

/** A stage in a plan. Plan slot `i` is the i-th plan input, then the outputs of the stages in order. */
export interface PlannedStage {
  readonly stage: PhysicalStage;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly marks: StageMarks;
}

export interface InputPort {
  readonly name: string;
  readonly type: ValueType;
  /** No stage reads it: rows may leave it out, and what they give is not looked at. */
  readonly unused?: true;
}

export interface OutputPort {
  readonly name: string;
  readonly type: ValueType;
  readonly slot: number;
  /** Where its numbers lie in an out-array: `offset .. offset + length`. */
  readonly offset: number;
  readonly length: number;
  /** A string output is a number into these. */
  readonly labels?: readonly string[];
  /** Its integers may be beyond 2^53: they come as bigint. Others come as numbers, saturated ones rounded. */
  readonly wide?: true;
}

/** What Oven makes and the runtime runs: plain data plus parameter ids. */
export interface CompiledPlan {
  readonly version: number;
  readonly name: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  readonly stages: readonly PlannedStage[];
  /** Every parameter some step or kernel call needs. */
  readonly parameters: readonly ParameterId[];
  /** Numbers an out-array needs a row. */
  readonly width: number;
  /** What one row is expected to cost, in nanoseconds on one thread: taking it in, the stages, and giving the answer out. */
  readonly nanosPerRow: number;
}
