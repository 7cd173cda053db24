import type { CallLimits } from '../features/admission/call-limits.js';
import type { CallPlace } from '../features/admission/queue.js';
import type { RowExecution } from '../parallel/executors/batch-target.js';
import type { PredictionTrace } from '../telemetry/prediction-trace.js';
import type { RowBlock } from './answers/answer-block.js';
import type { AnswerSink, Collect } from './answers/answer-sink.js';
import type { Answer } from './answers/answers.js';
import type { BatchWatch } from './batch.js';
import type { RowList } from './rows/copied-rows.js';
import type { Column, Row } from './rows/row-schema.js';

/** One asynchronous prediction. Every layer from the verb to the engine receives it. */
export interface Call {
  readonly limits: CallLimits | undefined;
  readonly trace: PredictionTrace | undefined;
  /**
   * If false, the rows run immediately, one by one. If true, the rows wait in the queue and share
   * the event loop with other calls.
   */
  readonly isQueued: boolean;
  /** Index of the call's first row in the caller's rows or stream, for error messages. */
  readonly first: number;
  /**
   * If true, the queue counts the rows but never rejects them, because the caller waits for these
   * answers before it sends the next rows.
   */
  readonly isPaced: boolean;
  /**
   * Set if the verb has already added the rows to the queue. The features then neither add the rows
   * again nor remove them.
   */
  readonly place?: CallPlace | undefined;
  readonly watch: BatchWatch;
  /** Throws if the plan was unregistered after the start of the call. */
  stillThere(): void;
}

/**
 * Answers rows of one plan. The engine implements this interface, and each serving feature (for
 * example the prediction cache) wraps an implementation: `(next: Execute) => Execute`.
 * `features/chain.ts` lists the wrappers in order.
 */
export interface Execute {
  /**
   * Answers one row synchronously, on the calling thread.
   *
   * @param out Receives the numbers of the answer, and is returned. Without it, the answer is a new
   * object.
   * @param check Called between stages that run in JavaScript. It throws when the call has ended.
   */
  row(row: Row, out?: Float64Array, check?: () => void): Answer | Float64Array;
  /** Answers the row of an asynchronous call that has only one row. */
  rowLater(row: Row, call: Call): Promise<Answer>;
  /**
   * Answers the rows of an asynchronous call, in order. The feature `Admission` copies the caller's
   * list and passes the copy to the features after it. `collect` is called when the rows start to
   * run, and creates the collector of the answers.
   */
  rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result>;
  /**
   * Answers a block of checked rows synchronously, on the calling thread. The first row of the
   * block is row `at` of the batch.
   */
  block(block: RowBlock, sink: AnswerSink, at: number): void;
  /**
   * Returns an object that runs a batch of this size on executors, or undefined if the calling
   * thread is faster.
   */
  executorsFor(rows: number): RowExecution | undefined;
  /**
   * Returns the cached answer to one checked row, or undefined. Does not count a miss, because the
   * row is looked up again when it runs.
   */
  cachedAnswer(columns: readonly Column[]): Answer | undefined;
  /**
   * Returns whether a batch of this size always runs on another thread or device, completely or in
   * part. If so, an asynchronous call with one row does not run it on the calling thread.
   */
  runsElsewhere(rows: number): boolean;
}
