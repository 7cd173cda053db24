import { sizeOf } from '@brezel/core';
import type { AnswerSink, Collect } from '../../execute/answers/answer-sink.js';
import type { RowValues } from '../../execute/answers/answers.js';
import { type BatchWatch, callsUsers } from '../../execute/batch.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import { renumbered } from '../../execute/rows/row-errors.js';
import { type Column, joinNumbers, type NumberColumn } from '../../execute/rows/row-schema.js';
import { inSlices } from '../../execute/slices.js';
import {
  atMostBlock,
  type BatchSource,
  type PlanExecution,
  type RowExecution,
  sourceOf,
  stretchOf,
} from '../../parallel/executors/batch-target.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { CachedBatch } from './cached-batch.js';

/** Estimated nanoseconds to check a row and look it up. */
const LOOK_UP_NANOS = 3000;

/** The prediction cache of a plan, for batches whose missing rows may run on executors. */
export interface BatchCache<Cached extends object> {
  /** Creates the object that looks up the rows of one batch. All answers go to `sink`. */
  batch(sink: AnswerSink): CachedBatch<Cached>;
  /** Runs rows without a cached answer on this thread. The next run overwrites the result. */
  run(columns: readonly Column[], rows: number, first: number, check?: () => void): RowValues;
}

/** Returns executors for a number of rows, or undefined when the calling thread is faster. */
export type ExecutorsFor = (rows: number) => PlanExecution | undefined;

/**
 * Answers batches of a plan with a prediction cache. Only rows without a cached answer run: on
 * executors, or on this thread if such rows are few.
 */
export class CachedExecution<Cached extends object> implements RowExecution {
  readonly #record: ServedPlan;
  readonly #cached: BatchCache<Cached>;
  readonly #executorsFor: ExecutorsFor;

  constructor(record: ServedPlan, cached: BatchCache<Cached>, executorsFor: ExecutorsFor) {
    this.#record = record;
    this.#cached = cached;
    this.#executorsFor = executorsFor;
  }

  async run<Result>(
    rows: RowList | BatchSource,
    watch: BatchWatch,
    first: number,
    collect: Collect<Result>,
  ): Promise<Result> {
    const source = 'admit' in rows ? rows : sourceOf(this.#record, rows);
    const sink = collect(source.rows);
    const batch = this.#cached.batch(sink);
    const missing = await this.#lookUp(batch, source, watch, first);
    if (missing.rows === 0) return sink.result;
    const hits = source.rows - missing.rows;
    const rest = { check: (answered: number) => watch.check(hits + answered), limits: watch.limits };
    rest.check(0); // the plan may have been removed during the lookup
    try {
      const executors = this.#executorsFor(missing.rows);
      if (executors !== undefined) await executors.runInto(missing, rest, 0, batch);
      else await this.#runHere(missing, rest, batch);
    } catch (error) {
      throw renumbered(error, (row) => first + batch.missing[row]!);
    }
    return sink.result;
  }

  /**
   * Checks and looks up all rows before the first row runs.
   * @returns the missing rows as a separate batch, with indexes from 0.
   */
  async #lookUp(
    batch: CachedBatch<Cached>,
    source: BatchSource,
    watch: BatchWatch,
    first: number,
  ): Promise<BatchSource> {
    const { inputs, clock } = this.#record;
    const stretch = stretchOf(inputs);
    const blocks: (readonly Column[])[] = [];
    await inSlices(clock, Math.ceil(source.rows / stretch), stretch * LOOK_UP_NANOS, (from, to) => {
      for (let at = from * stretch; at < to * stretch && at < source.rows; at += stretch) {
        watch.check(0);
        const end = Math.min(source.rows, at + stretch);
        const columns = source.admit(at, end, first + at);
        watch.enter?.(columns);
        batch.lookUp(columns, at, end - at, first + at);
        blocks.push(columns);
      }
    });
    const sizes = inputs.map(({ type }) => sizeOf(type));
    const { missing } = batch;
    return {
      rows: missing.length,
      admit: (from, to) => sizes.map((size, input) => gathered(blocks, input, size, stretch, missing.slice(from, to))),
    };
  }

  async #runHere(missing: BatchSource, watch: BatchWatch, batch: CachedBatch<Cached>): Promise<void> {
    const { nanosPerRow, clock } = this.#record;
    const run = (from: number, to: number) => {
      watch.check(from);
      const values = this.#cached.run(missing.admit(from, to, from), to - from, from, () => watch.check(from));
      batch.take(values, to - from, from);
    };
    const slice = (from: number, to: number) => {
      for (let at = from; at < to; ) {
        const end = at + atMostBlock(to - at);
        run(at, end);
        at = end;
      }
    };
    await inSlices(clock, missing.rows, nanosPerRow, slice, callsUsers(this.#record) ? 1 : missing.rows);
  }
}

/**
 * Copies the values of one input for some rows of a request. `blocks` contains the columns of the
 * whole request, divided into blocks of `stretch` rows.
 */
function gathered(
  blocks: readonly (readonly Column[])[],
  input: number,
  size: number,
  stretch: number,
  rows: readonly number[],
): Column {
  const texts: unknown[] = [];
  const numbers: NumberColumn[] = [];
  for (const row of rows) {
    const column = blocks[Math.floor(row / stretch)]![input]!;
    const from = (row % stretch) * size;
    if (Array.isArray(column)) for (let index = from; index < from + size; index++) texts.push(column[index]);
    else numbers.push(column.subarray(from, from + size));
  }
  return numbers.length > 0 ? joinNumbers(numbers, rows.length * size) : (texts as Column);
}
