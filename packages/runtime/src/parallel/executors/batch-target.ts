import { type InputPort, sizeOf } from '@brezel/core';
import { type Answer, GatheredAnswers, type RowSink } from '../../execute/answers.js';
import { type BatchWatch, BLOCK_ROWS } from '../../execute/batch.js';
import type { RowList } from '../../execute/copied-rows.js';
import type { RowFailure } from '../../execute/native/request-response.js';
import { admit, type Column } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { ChunkOwner } from './chunk-dispatcher.js';

/** Answers many rows of a plan, with a part of the work off this thread. */
export interface RowExecution {
  /**
   * Answers rows, in order, with the bits and errors of `runBatch`, and the errors of `watch`.
   *
   * @param first number of the first row, for errors.
   */
  run(rows: RowList | BatchSource, watch: BatchWatch, first: number): Promise<Answer[]>;
}

/** A plan as native or JavaScript executors run it. */
export interface PlanExecution extends RowExecution {
  runInto(source: BatchSource, watch: BatchWatch, first: number, sink: RowSink<unknown>): Promise<void>;
  /**
   * Starts all executors of the plan, and waits for them up to a limit. Returns how many are ready.
   */
  start(): Promise<number>;
}

/** Runs rows by `runInto`, and returns their answers as a list. */
export async function runForAnswers(
  executors: PlanExecution & { readonly record: ServedPlan },
  rows: RowList | BatchSource,
  watch: BatchWatch,
  first: number,
): Promise<Answer[]> {
  const source = 'admit' in rows ? rows : sourceOf(executors.record.inputs, rows);
  const sink = new GatheredAnswers(executors.record, source.rows);
  await executors.runInto(source, watch, first, sink);
  return sink.answers;
}

/** The number of values that are checked without a pause. */
const STRETCH_VALUES = 8192;

/** Returns the number of rows that are checked without a pause: few when a row is wide. */
export const stretchOf = (inputs: readonly InputPort[]): number =>
  atMostBlock(STRETCH_VALUES / inputs.reduce((sum, port) => sum + sizeOf(port.type), 0));

/** Limits a number of rows to one block. */
export const atMostBlock = (rows: number): number => Math.max(1, Math.min(BLOCK_ROWS, Math.floor(rows)));

/** The rows of a batch, checked in stretches. */
export interface BatchSource {
  readonly rows: number;
  /**
   * Checks rows from `from` up to `to`, and returns them as new columns. `first` is the number of
   * row `from`, for errors.
   */
  admit(from: number, to: number, first: number): readonly Column[];
}

/** Returns rows as a source that checks them. */
export const sourceOf = (inputs: readonly InputPort[], rows: RowList): BatchSource => ({
  rows: rows.length,
  admit: (from, to, first) => admit(inputs, rows.slice(from, to), first),
});

/** A batch, as the target of its chunks sees it. */
export interface BatchOwner extends ChunkOwner {
  /** Ends the batch. */
  fail(error: unknown): void;
  /** Receives the results of the rows. */
  readonly sink: RowSink<unknown>;
  /** @param resultOf returns what the sink read from a row of the chunk; called at once. */
  chunkAnswered(ticket: number, resultOf: (row: number) => unknown): void;
  /** @param failureOf returns the failure, by the index of the chunk's first row in the batch. */
  chunkFailed(ticket: number, failureOf: (at: number) => RowFailure): void;
}

/** Submits the chunks of a batch for one plan. */
export interface BatchTarget {
  readonly record: ServedPlan;
  /**
   * The number of rows that are checked without a pause, and the largest number of rows in a chunk.
   */
  readonly blockRows: number;
  readonly chunkRows: number;
  /**
   * Converts checked columns to the form of `submit`. `first` is the number of their first row, for
   * errors.
   */
  prepare(columns: readonly Column[], first: number): readonly Column[];
  /** Submits rows as one chunk, or fewer rows when they are large. */
  submit(rows: SubmittedRows, owner: BatchOwner): { readonly ticket: number; readonly rows: number };
  /** Returns why the rows from `at` on could not be submitted. */
  rejection(error: unknown, rows: SubmittedRows): RowFailure;
  /** Cancels a chunk whose answers are no longer needed. */
  cancel(ticket: number): void;
  /** Reports that a chunk came back. */
  chunkLeft(ticket: number): void;
}

/**
 * Rows from `at` up to `end` of `total` rows in columns. Row 0 of the columns has the number
 * `first`.
 */
export interface SubmittedRows {
  readonly columns: readonly Column[];
  readonly at: number;
  readonly end: number;
  readonly total: number;
  readonly first: number;
}
