import type { CallLimits } from '../features/admission/call-limits.js';
import type { RowExecution } from '../parallel/executors/batch-target.js';
import type { PredictionTrace } from '../telemetry/prediction-trace.js';
import type { Answer } from './answers.js';
import type { BatchWatch } from './batch.js';
import type { RowList } from './copied-rows.js';
import type { Column, Row } from './row-schema.js';

/** One asynchronous prediction, from the verb to the engine. */
export interface Call {
  readonly limits: CallLimits | undefined;
  readonly trace: PredictionTrace | undefined;
  /**
   * False: the rows run at once, one by one. True: they are queued, and share the event loop with
   * other calls.
   */
  readonly isQueued: boolean;
  /** Index of the first row in the caller's rows or stream, for error messages. */
  readonly first: number;
  /**
   * True: the queue counts the rows but never rejects them, because the caller sends the next rows
   * after these answers.
   */
  readonly isPaced: boolean;
  readonly watch: BatchWatch;
  /** Throws when the plan is no longer registered. */
  stillThere(): void;
}

/**
 * Answers rows of one plan. The engine implements it, and each serving feature wraps it: `(next:
 * Execute) => Execute`. `features/chain.ts` lists the wrappers in order.
 */
export interface Execute {
  /**
   * Answers one row before it returns, on the calling thread.
   *
   * @param out receives the numbers of the answer, and is returned; without it the answer is a new
   * object.
   * @param check called between stages that run in JavaScript; throws when the call is over.
   */
  row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array;
  /** Answers one row of an asynchronous call. */
  rowLater(row: Row, call: Call): Promise<Answer>;
  /**
   * Answers many rows of an asynchronous call, in order. Features inside `Admission` receive a copy
   * of the caller's list.
   */
  rows(rows: RowList, call: Call): Promise<Answer[]>;
  /** Answers a block of checked rows before it returns, on the calling thread. */
  block(columns: readonly Column[], rows: number, first: number, check?: () => void): Answer[];
  /**
   * Returns the executors for a batch of this size, or undefined when the calling thread is faster.
   */
  executorsFor(rows: number): RowExecution | undefined;
  /**
   * Returns the cached answer to one checked row. A miss is not counted, because the row is looked
   * up again in its block.
   */
  cachedAnswer(columns: readonly Column[]): Answer | undefined;
  /**
   * Whether another thread or device always runs a part of a batch of this size, so that no row can
   * be answered at once.
   */
  runsElsewhere(rows: number): boolean;
}
