import type { MessagePort } from 'node:worker_threads';
import type { Block, CompiledPlan, ErrorDetails } from '@brezel/core';
import type { SharedParameter } from '@brezel/object-store';
import type { Column } from '../../execute/row-schema.js';

/**
 * A plan on its way to a worker. Its parameters stay where they are, where threads can share them:
 * the worker reads the same bytes.
 */
export interface PlanPayload {
  readonly name: string;
  readonly compiled: CompiledPlan;
  readonly parameters: readonly SharedParameter[];
  /** Whether these lie in the addon. */
  readonly isNativeMemory: boolean;
  readonly maxInputBytes: number;
  /** Modules of operators, as URLs. */
  readonly modules: readonly string[];
  /** Whether the addon may run stages of it, and by which instruction set. */
  readonly native: boolean;
  readonly isa: string | undefined;
  /** On shared memory: 1 when the plan is gone, so that the worker forgets it. */
  readonly gone: Int32Array;
}

/** Some rows for a worker. Everything in it can be cloned. */
export interface WorkerTask {
  /** Number of the plan. */
  readonly plan: number;
  /** Left out at first: most workers know the plan. */
  readonly payload?: PlanPayload;
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Number of the first row, for errors. */
  readonly first: number;
  /** Whether the stages are to be timed. */
  readonly isTimed?: boolean;
  /** Told when the rows begin to run: a deadline counts from there. */
  readonly started?: MessagePort;
}

/** An error without its class, which clones have not. */
export interface WorkerError {
  readonly code: string | undefined;
  readonly message: string;
  readonly details: Omit<ErrorDetails, 'cause'>;
  /** Of a custom operator. */
  readonly operator?: string;
}

export type WorkerResult =
  | {
      /** One block an output. */
      readonly blocks: readonly Block[];
      readonly nanoseconds: number;
      /** What each stage took of that, where it was asked. */
      readonly clock?: Float64Array | undefined;
      /** Bytes of parameters that the worker copied for JavaScript since its last answer. */
      readonly copiedBytes: number;
    }
  | { readonly isMissing: true }
  /**
   * The worker cannot have the plan: an operator of a user is defined on the calling thread alone,
   * say.
   */
  | { readonly cannotHave: WorkerError }
  | { readonly error: WorkerError };
