import type { MessagePort } from 'node:worker_threads';
import type { CompiledPlan, SentError } from '@brezel/core';
import type { SharedParameter } from '@brezel/object-store';
import type { RowValues } from '../../execute/answers/answers.js';
import type { Column } from '../../execute/rows/row-schema.js';

/**
 * A plan in the form that is sent to a worker. Parameters in the addon's memory or in a
 * SharedArrayBuffer are not copied: the worker reads the same bytes.
 */
export interface PlanPayload {
  readonly name: string;
  readonly compiled: CompiledPlan;
  readonly parameters: readonly SharedParameter[];
  /** Whether the parameters are in the addon's memory. */
  readonly isNativeMemory: boolean;
  readonly maxInputBytes: number;
  /** URLs of the modules that define operators. */
  readonly modules: readonly string[];
  /**
   * Whether the addon may run the stages of the plan on the worker. `isa` is the instruction set of
   * its kernels.
   */
  readonly native: boolean;
  readonly isa: string | undefined;
  /**
   * A flag in shared memory. The flag becomes 1 when the plan is removed; the worker then drops the
   * plan.
   */
  readonly gone: Int32Array;
}

/** A task of a worker: some rows of a plan. Every field can be sent to another thread. */
export interface WorkerTask {
  /** The number that identifies the plan. */
  readonly plan: number;
  /** The plan itself. The sender first omits the plan, because most workers already have it. */
  readonly payload?: PlanPayload;
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Index of the first row in the request, for error messages. */
  readonly first: number;
  /** Whether the worker measures the time of each stage. */
  readonly isTimed?: boolean;
  /**
   * Receives a message when the rows start to run. The deadline of the task starts with this
   * message.
   */
  readonly started?: MessagePort;
}

export type WorkerResult =
  | {
      /** The numbers of the rows, or one block for each output of the plan. */
      readonly values: RowValues;
      readonly nanoseconds: number;
      /** The nanoseconds of each stage, if they were measured. */
      readonly clock?: Float64Array | undefined;
      /**
       * Bytes of parameters that the worker has copied for reference kernels since its last answer.
       */
      readonly copiedBytes: number;
    }
  | { readonly isMissing: true }
  /**
   * The worker cannot load the plan, for example because only the calling thread defines a custom
   * operator.
   */
  | { readonly cannotHave: SentError }
  | { readonly error: SentError };
