import { type Step, sizeOf } from '@brezel/core';
import type { CallLimits } from '../features/admission/call-limits.js';
import { checkServed, type ServedPlan } from '../plans/registered-plan.js';
import type { AnswerBlock } from './answers/answer-block.js';
import { type Collect, ListedAnswers } from './answers/answer-sink.js';
import type { Answer } from './answers/answers.js';
import type { JavaScriptEngine } from './javascript-engine.js';
import type { RowKernels } from './native/native-kernels.js';
import { runRows } from './native/request-response.js';
import { columnsOfRows } from './rows/column-rows.js';
import type { RowList } from './rows/copied-rows.js';
import { admit, type Column, type Row } from './rows/row-schema.js';
import { inSlices } from './slices.js';

/**
 * The largest number of rows in a block. The values of 256 rows fit in the cache of the processor.
 */
export const BLOCK_ROWS = 256;
/**
 * A block should take at most this many nanoseconds, because the event loop can run only between
 * blocks. But a block has at least `LEAST_BLOCK_ROWS` rows, because smaller blocks cost more time
 * than they save.
 */
const BLOCK_NANOS = 500_000;
const LEAST_BLOCK_ROWS = 16;
/** Estimated nanoseconds to check a row and copy it into columns. */
const ADMIT_NANOS = 1000;

/**
 * Returns the number of rows in a block for a plan with this time for each row. Slow plans have
 * smaller blocks, so that a block does not stop the event loop for long.
 */
export function blockRowsFor(nanosPerRow: number): number {
  return Math.min(BLOCK_ROWS, Math.max(LEAST_BLOCK_ROWS, Math.floor(BLOCK_NANOS / Math.max(1, nanosPerRow))));
}

/** The functions with which the owner of a batch can end the batch, and the limits of the call. */
export interface BatchWatch {
  /**
   * Called before each block of rows, and between operators that run in JavaScript. `answered` is
   * the number of rows that are already answered. The function throws to end the batch, for example
   * when the plan was removed or the deadline has passed.
   */
  check(answered: number): void;
  /**
   * Called with each block of checked rows. It throws when the rows exceed the limits of the queue.
   */
  enter?(columns: readonly Column[]): void;
  /**
   * The deadline and the signal that `check` tests. Code that waits for a backend uses them to call
   * `check` at the deadline.
   */
  readonly limits?: Pick<CallLimits, 'signal' | 'remainingMs' | 'later'> | undefined;
}

/**
 * The fields of a call that a batch needs. `first` is the index of the batch's first row in the
 * request.
 */
export interface BatchCall {
  readonly watch: BatchWatch;
  readonly first: number;
}

/**
 * Answers many rows on this thread, in blocks, and lets the event loop run between blocks. All rows
 * are checked before the first row runs.
 */
export async function runBatch<Result>(
  plan: ServedPlan,
  rows: RowList,
  nanosPerRow: number,
  answerBlock: AnswerBlock,
  { watch, first }: BatchCall,
  collect: Collect<Result>,
): Promise<Result> {
  const blocks = await admitBlocks(plan, rows, watch, first);
  const sink = collect(rows.length);
  const sizes = plan.inputs.map((port) => sizeOf(port.type));
  const firstRows = callsUsers(plan) ? 1 : rows.length;
  const answerRows = (from: number, to: number) => {
    for (let at = from; at < to; ) {
      watch.check(at);
      const [blockIndex, start] = [Math.floor(at / BLOCK_ROWS), at % BLOCK_ROWS];
      const count = Math.min(BLOCK_ROWS - start, to - at);
      const columns = blocks[blockIndex]!.map((column, input) =>
        column.slice(start * sizes[input]!, (start + count) * sizes[input]!),
      );
      const answered = at;
      answerBlock({ columns, rows: count, first: first + at, check: () => watch.check(answered) }, sink, at);
      at += count;
    }
  };
  await inSlices(plan.clock, rows.length, nanosPerRow, answerRows, firstRows);
  return sink.result;
}

/**
 * Returns whether a plan runs custom operators. Before their first run, the time that they take is
 * unknown.
 */
export const callsUsers = ({ compiled }: ServedPlan): boolean =>
  compiled.stages.some(({ stage }) => stage.calls === undefined && stage.steps.some(isCustom));

/**
 * Returns whether an operator of a stage is a custom operator. Only names of custom operators
 * contain `/`, after their namespace.
 */
const isCustom = ({ operator }: Step): boolean => operator.includes('/');

export async function admitBlocks(
  plan: ServedPlan,
  rows: RowList,
  watch: BatchWatch,
  first: number,
  blockRows = BLOCK_ROWS,
): Promise<Column[][]> {
  const blocks: Column[][] = [];
  await inSlices(plan.clock, Math.ceil(rows.length / blockRows), blockRows * ADMIT_NANOS, (from, to) => {
    for (let at = from * blockRows; at < to * blockRows; at += blockRows) {
      watch.check(0);
      const columns = columnsOfRows(plan, rows, at, Math.min(rows.length, at + blockRows), first + at);
      watch.enter?.(columns);
      blocks.push(columns);
    }
  });
  return blocks;
}

/** Answers many rows without a pause. Only measurements use it. */
export function runAtOnce(plan: ServedPlan, rows: readonly Row[], answerBlock: AnswerBlock): Answer[] {
  const answers = new ListedAnswers(plan, rows.length);
  for (let first = 0; first < rows.length; first += BLOCK_ROWS) {
    const block = rows.slice(first, first + BLOCK_ROWS);
    const columns = admit(plan, block, first);
    checkServed(plan);
    answerBlock({ columns, rows: block.length, first }, answers, first);
  }
  return answers.result;
}

/**
 * Returns a function that answers blocks of rows in the addon. If `nanoseconds` is given, the
 * function adds the time of each stage to it.
 */
export function nativeBlocks(plan: ServedPlan, kernels: RowKernels, nanoseconds?: Float64Array): AnswerBlock {
  const numbers = new Float64Array(BLOCK_ROWS * plan.width);
  return ({ columns, rows, first }, sink, at) => {
    const out = numbers.subarray(0, rows * plan.width);
    runRows(plan, columns, rows, out, kernels, first, nanoseconds);
    sink.take(out, rows, at);
  };
}

/**
 * Returns a function that answers blocks of rows in JavaScript. If `nanoseconds` is given, the
 * function adds the time of each stage to it.
 */
export function javaScriptBlocks(engine: JavaScriptEngine, nanoseconds?: Float64Array): AnswerBlock {
  return ({ columns, rows, first, check }, sink, at) => {
    const blocks = nanoseconds
      ? engine.runTimed(columns, rows, nanoseconds, first, check)
      : engine.run(columns, rows, first, check);
    sink.take(blocks, rows, at);
  };
}
