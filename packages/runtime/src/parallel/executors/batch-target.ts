import { type InputPort, sizeOf } from '@brezel/core';
import type { AnswerSink, Collect } from '../../execute/answers/answer-sink.js';
import type { RowValues } from '../../execute/answers/answers.js';
import { type BatchWatch, BLOCK_ROWS } from '../../execute/batch.js';
import type { RowFailure } from '../../execute/native/request-response.js';
import { columnsOfRows } from '../../execute/rows/column-rows.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import type { Column, RowSchema } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { ChunkOwner } from './chunk-dispatcher.js';

/** Answers many rows of a plan. Other threads do a part of the work. */
export interface RowExecution {
  /**
   * Answers rows in order, with the same bits and errors as `runBatch`. Also throws the errors of
   * `watch`.
   *
   * @param first index of the first row in the request, for error messages
   */
  run<Result>(rows: RowList | BatchSource, watch: BatchWatch, first: number, collect: Collect<Result>): Promise<Result>;
}

/** Runs a plan on native executors or on JavaScript executors. */
export interface PlanExecution extends RowExecution {
  runInto(source: BatchSource, watch: BatchWatch, first: number, sink: AnswerSink): Promise<void>;
  /**
   * Starts all executors that can run the plan, and waits until they are ready, but not longer than
   * a limit. Returns the number of ready executors.
   */
  start(): Promise<number>;
}

/** Runs rows with `runInto`, and returns the result of their collector. */
export async function runForAnswers<Result>(
  executors: PlanExecution & { readonly record: ServedPlan },
  rows: RowList | BatchSource,
  watch: BatchWatch,
  first: number,
  collect: Collect<Result>,
): Promise<Result> {
  const source = 'admit' in rows ? rows : sourceOf(executors.record, rows);
  const sink = collect(source.rows);
  await executors.runInto(source, watch, first, sink);
  return sink.result;
}

/**
 * Rows are checked in pieces of about this many values, and the event loop can run between pieces.
 */
const STRETCH_VALUES = 8192;

/**
 * Returns the number of rows in a piece of rows that is checked without a pause. Rows with many
 * values have smaller pieces.
 */
export const stretchOf = (inputs: readonly InputPort[]): number =>
  atMostBlock(STRETCH_VALUES / inputs.reduce((sum, port) => sum + sizeOf(port.type), 0));

/**
 * Limits a number of rows to the size of one block, and rounds it down. The result is at least 1.
 */
export const atMostBlock = (rows: number): number => Math.max(1, Math.min(BLOCK_ROWS, Math.floor(rows)));

/** The rows of a batch. Calls of `admit` check them piece by piece. */
export interface BatchSource {
  readonly rows: number;
  /**
   * Checks the rows from `from` up to `to`, and returns them as new columns. `first` is the index
   * of row `from` in the request, for error messages.
   */
  admit(from: number, to: number, first: number): readonly Column[];
}

/** Returns a source that checks rows of a list and converts them to columns. */
export const sourceOf = (schema: RowSchema, rows: RowList): BatchSource => ({
  rows: rows.length,
  admit: (from, to, first) => columnsOfRows(schema, rows, from, to, first),
});

/** A batch whose rows run in chunks on other threads. It receives the results of its chunks. */
export interface BatchOwner extends ChunkOwner {
  /** Ends the batch with an error. */
  fail(error: unknown): void;
  /**
   * Receives the answers to some rows of a chunk that still runs. The first row of `values` is row
   * `from` of the chunk.
   */
  rowsAnswered(ticket: number, from: number, rows: number, values: RowValues): void;
  /**
   * Receives the end of a chunk whose rows are all answered. `values` holds all answers, unless
   * `rowsAnswered` has received them already.
   */
  chunkAnswered(ticket: number, values?: RowValues): void;
  /**
   * Receives the end of a failed chunk.
   * @param failureOf returns the failed row and its error; `at` is the index of the chunk's first
   * row in the batch
   */
  chunkFailed(ticket: number, failureOf: (at: number) => RowFailure): void;
}

/** Submits the chunks of a batch to the threads that can run one plan. */
export interface BatchTarget {
  readonly record: ServedPlan;
  /** Whether the rows of the plan go before the rows of other plans on the calling thread. */
  readonly isUrgent: boolean;
  /**
   * The number of rows that are checked without a pause. The checked rows are then divided into
   * chunks of at most `chunkRows` rows.
   */
  readonly blockRows: number;
  readonly chunkRows: number;
  /**
   * Converts checked columns to the input of `submit`. `first` is the index of the columns' first
   * row in the request, for error messages.
   */
  prepare(columns: readonly Column[], first: number): readonly Column[];
  /**
   * Submits rows as one chunk. If the rows have many bytes, the chunk contains only the first of
   * them. Returns the chunk's ticket and number of rows.
   */
  submit(rows: SubmittedRows, owner: BatchOwner): { readonly ticket: number; readonly rows: number };
  /** Converts an error of `submit` to the failed row and its error. */
  rejection(error: unknown, rows: SubmittedRows): RowFailure;
  /** Cancels a chunk whose answers are no longer needed. */
  cancel(ticket: number): void;
  /** Is called when a chunk has finished, for counting. */
  chunkLeft(ticket: number): void;
}

/**
 * The rows from index `at` up to `end` of some columns with `total` rows. `first` is the index of
 * the columns' first row in the request.
 */
export interface SubmittedRows {
  readonly columns: readonly Column[];
  readonly at: number;
  readonly end: number;
  readonly total: number;
  readonly first: number;
}
