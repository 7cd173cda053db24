import type { MessagePort } from 'node:worker_threads';
import type { Block, CompiledPlan, ErrorDetails } from '@brezel/core';
import type { SharedParameter } from '@brezel/object-store';
import type { Column } from '../../execute/row-schema.js';

/**
 * A plan as it is sent to a worker. Parameters in shareable memory are not copied: the worker reads
 * the same bytes.
 */
export interface PlanPayload {
  readonly name: string;
  readonly compiled: CompiledPlan;
  readonly parameters: readonly SharedParameter[];
  /** Whether the parameters are in memory of the addon. */
  readonly isNativeMemory: boolean;
  readonly maxInputBytes: number;
  /** Modules of operators, as URLs. */
  readonly modules: readonly string[];
  /** Whether the addon may run its stages, and with which instruction set. */
  readonly native: boolean;
  readonly isa: string | undefined;
  /** In shared memory: 1 after the plan is removed, so that the worker drops it. */
  readonly gone: Int32Array;
}

/** Some rows for a worker. Every field can be cloned. */
export interface WorkerTask {
  /** Number of the plan. */
  readonly plan: number;
  /** Missing at first, because most workers have the plan. */
  readonly payload?: PlanPayload;
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Number of the first row, for errors. */
  readonly first: number;
  /** Whether the stages are timed. */
  readonly isTimed?: boolean;
  /** Gets a message when the rows start to run: a deadline counts from there. */
  readonly started?: MessagePort;
}

/** An error without its class, which cloning drops. */
export interface WorkerError {
  readonly code: string | undefined;
  readonly message: string;
  readonly details: Omit<ErrorDetails, 'cause'>;
  /** Name of the custom operator that failed. */
  readonly operator?: string;
}

export type WorkerResult =
  | {
      /** One block for each output. */
      readonly blocks: readonly Block[];
      readonly nanoseconds: number;
      /** Nanoseconds of each stage, if they were timed. */
      readonly clock?: Float64Array | undefined;
      /** Bytes of parameters that the worker copied for JavaScript since its last answer. */
      readonly copiedBytes: number;
    }
  | { readonly isMissing: true }
  /**
   * The worker cannot load the plan, for example because a custom operator is defined on the
   * calling thread only.
   */
  | { readonly cannotHave: WorkerError }
  | { readonly error: WorkerError };
