import { type InputPort, sizeOf } from '@brezel/core';
import { type Answer, GatheredAnswers, type RowSink } from '../../execute/answers.js';
import { type BatchWatch, BLOCK_ROWS } from '../../execute/batch.js';
import { CopiedRows } from '../../execute/copied-rows.js';
import type { RowFailure } from '../../execute/native/request-response.js';
import { admit, type Column, type Row } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { ChunkOwner } from './chunk-dispatcher.js';

/** What answers many rows of a plan, not all of them on this thread. */
export interface RowExecution {
  /**
   * Answers rows, in order: the bits of `runBatch`, its errors, and what `watch` throws.
   *
   * @param first number of the first row, for errors.
   */
  run(rows: readonly Row[] | BatchSource, watch: BatchWatch, first: number): Promise<Answer[]>;
}

/** A plan as executors run it, whatever they are. */
export interface PlanExecution extends RowExecution {
  runInto(source: BatchSource, watch: BatchWatch, first: number, sink: RowSink<unknown>): Promise<void>;
  /**
   * Starts all executors of the plan, and waits until they are there, at most a while. Returns how
   * many there are.
   */
  start(): Promise<number>;
}

/** `run` by `runInto`. */
export async function runForAnswers(
  executors: PlanExecution & { readonly record: ServedPlan },
  rows: readonly Row[] | BatchSource,
  watch: BatchWatch,
  first: number,
): Promise<Answer[]> {
  const source = 'admit' in rows ? rows : sourceOf(executors.record.inputs, rows);
  const sink = new GatheredAnswers(executors.record, source.rows);
  await executors.runInto(source, watch, first, sink);
  return sink.answers;
}

/** Numbers and texts that are checked at a stretch. */
const STRETCH_VALUES = 8192;

/** Rows that are checked at a stretch: few where one is wide. */
export const stretchOf = (inputs: readonly InputPort[]): number =>
  atMostBlock(STRETCH_VALUES / inputs.reduce((sum, port) => sum + sizeOf(port.type), 0));

/** So many rows, as far as they are no more than a block's. */
export const atMostBlock = (rows: number): number => Math.max(1, Math.min(BLOCK_ROWS, Math.floor(rows)));

/** The rows of a batch, checked some at a time. */
export interface BatchSource {
  readonly rows: number;
  /**
   * Rows from `from` up to `to`, as new columns; `first` is the number of row `from`, for errors.
   */
  admit(from: number, to: number, first: number): readonly Column[];
}

/** Rows as a caller gave them. He may go on with his list. */
export function sourceOf(inputs: readonly InputPort[], rows: readonly Row[]): BatchSource {
  const given = new CopiedRows(rows);
  return { rows: given.length, admit: (from, to, first) => admit(inputs, given.slice(from, to), first) };
}

/** A batch, to who runs its chunks. */
export interface BatchOwner extends ChunkOwner {
  /** Ends the batch. */
  fail(error: unknown): void;
  /** Where its rows go. */
  readonly sink: RowSink<unknown>;
  /** @param resultOf what the sink read of a row of the chunk; called at once. */
  chunkAnswered(ticket: number, resultOf: (row: number) => unknown): void;
  /** @param failureOf by the place of the chunk's first row in the batch. */
  chunkFailed(ticket: number, failureOf: (at: number) => RowFailure): void;
}

/** What a batch needs of its plan: where its chunks go. */
export interface BatchTarget {
  readonly record: ServedPlan;
  /** Rows that are checked at a stretch, and rows of a chunk, at most. */
  readonly blockRows: number;
  readonly chunkRows: number;
  /**
   * Checked columns as `submit` takes them; `first` is the number of their first row, for errors.
   */
  prepare(columns: readonly Column[], first: number): readonly Column[];
  /** Submits rows as one chunk, or fewer where they are large. */
  submit(rows: SubmittedRows, owner: BatchOwner): { readonly ticket: number; readonly rows: number };
  /** Why the rows from `at` on could not be submitted. */
  rejection(error: unknown, rows: SubmittedRows): RowFailure;
  /** The chunk's answers are not wanted any more. */
  cancel(ticket: number): void;
  /** A chunk came back. */
  chunkLeft(ticket: number): void;
}

/**
 * Rows from `at` up to `end` of `total` rows in columns; row 0 of the columns has the number
 * `first`.
 */
export interface SubmittedRows {
  readonly columns: readonly Column[];
  readonly at: number;
  readonly end: number;
  readonly total: number;
  readonly first: number;
}
