import { type InputPort, sizeOf } from '@brezel/core';
import type { AnswerSink, Collect } from '../../execute/answer-sink.js';
import type { RowValues } from '../../execute/answers.js';
import { type BatchWatch, BLOCK_ROWS } from '../../execute/batch.js';
import { columnsOfRows } from '../../execute/column-rows.js';
import type { RowList } from '../../execute/copied-rows.js';
import type { RowFailure } from '../../execute/native/request-response.js';
import type { Column, RowSchema } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { ChunkOwner } from './chunk-dispatcher.js';

/** Answers many rows of a plan. A part of the work runs on other threads. */
export interface RowExecution {
  /**
   * Answers rows in order, with the same bits and errors as `runBatch`. It also throws the errors
   * of `watch`.
   *
   * @param first index of the first row in the request, for error messages
   */
  run<Result>(rows: RowList | BatchSource, watch: BatchWatch, first: number, collect: Collect<Result>): Promise<Result>;
}

/** Runs a plan on native executors or on JavaScript executors. */
export interface PlanExecution extends RowExecution {
  runInto(source: BatchSource, watch: BatchWatch, first: number, sink: AnswerSink): Promise<void>;
  /**
   * Starts all executors of the plan, and waits a limited time until they are ready. Returns the
   * number of ready executors.
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

/** The number of values that the event loop checks without a pause. */
const STRETCH_VALUES = 8192;

/**
 * Returns the number of rows that are checked without a pause. The number is smaller for wide rows.
 */
export const stretchOf = (inputs: readonly InputPort[]): number =>
  atMostBlock(STRETCH_VALUES / inputs.reduce((sum, port) => sum + sizeOf(port.type), 0));

/** Limits a number of rows to one block. */
export const atMostBlock = (rows: number): number => Math.max(1, Math.min(BLOCK_ROWS, Math.floor(rows)));

/** The rows of a batch. The code that submits chunks checks several rows at a time. */
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

/** The batch that receives the results of its chunks. */
export interface BatchOwner extends ChunkOwner {
  /** Ends the batch. */
  fail(error: unknown): void;
  /**
   * Reads the answers to some rows of a chunk that still runs. Row 0 of `values` is row `from` of
   * the chunk.
   */
  rowsAnswered(ticket: number, from: number, rows: number, values: RowValues): void;
  /** Ends an answered chunk. Reads the answers to all its rows if `values` are present. */
  chunkAnswered(ticket: number, values?: RowValues): void;
  /**
   * Reports a failed chunk.
   * @param failureOf returns the failure, given the index of the chunk's first row in the batch
   */
  chunkFailed(ticket: number, failureOf: (at: number) => RowFailure): void;
}

/** Submits the chunks of a batch for one plan. */
export interface BatchTarget {
  readonly record: ServedPlan;
  /**
   * The number of rows that are checked without a pause. `chunkRows` is the largest number of rows
   * in a chunk.
   */
  readonly blockRows: number;
  readonly chunkRows: number;
  /**
   * Converts checked columns to the input of `submit`. `first` is the index of their first row in
   * the request, for error messages.
   */
  prepare(columns: readonly Column[], first: number): readonly Column[];
  /**
   * Submits rows as one chunk. If rows are large, the chunk takes fewer rows. Returns the chunk's
   * ticket and number of rows.
   */
  submit(rows: SubmittedRows, owner: BatchOwner): { readonly ticket: number; readonly rows: number };
  /** Returns why the rows from index `at` could not be submitted. */
  rejection(error: unknown, rows: SubmittedRows): RowFailure;
  /** Cancels a chunk whose answers are no longer needed. */
  cancel(ticket: number): void;
  /** Reports that a chunk has finished. */
  chunkLeft(ticket: number): void;
}

/**
 * The rows of some columns from index `at` up to `end`. The columns have `total` rows. `first` is
 * the index of their row 0 in the request.
 */
export interface SubmittedRows {
  readonly columns: readonly Column[];
  readonly at: number;
  readonly end: number;
  readonly total: number;
  readonly first: number;
}
