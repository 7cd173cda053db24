import { BLACK_BOX, type PlannedStage, type Step } from '@brezel/core';
import type { ServedPlan } from '../plans/registered-plan.js';
import { sampledLater } from '../telemetry/stage-clocks.js';
import { type Answer, answerFromBlocks } from './answers.js';
import { admitBlocks, type BatchWatch, blockRowsFor } from './batch.js';
import { blockSignal, withConcurrency } from './bounded-concurrency.js';
import type { RowList } from './copied-rows.js';
import type { JavaScriptEngine } from './javascript-engine.js';
import type { Column } from './row-schema.js';
import type { LaterOptions } from './work.js';

/**
 * The largest number of blocks in flight when executors run the stages around black boxes.
 * Executors prepare the next blocks while a black box runs.
 */
const CONCURRENT_BLOCKS = 4;

/**
 * Answers many rows of a plan with black boxes, which run on other threads. Blocks run one after
 * another, or concurrently when executors run other stages of the plan. It checks all rows before
 * it answers the first one.
 */
export async function runBatchLater(
  plan: ServedPlan,
  rows: RowList,
  engine: JavaScriptEngine,
  watch: BatchWatch,
  first = 0,
): Promise<Answer[]> {
  const blockRows = blockRowsFor(nanosHere(plan));
  const blocks = await admitBlocks(plan, rows, watch, first, blockRows);
  watch.check(0); // rejects a removed plan before the search for executors
  const requestRows = rows.length;
  const concurrency = engine.usesExecutors(blockRows, { requestRows }) ? CONCURRENT_BLOCKS : 1;
  let answered = 0;
  const check = () => watch.check(answered);
  using own = blockSignal(watch.limits, check);
  const answers = new Array<Answer[]>(blocks.length);
  const later = { signal: own.signal, check, requestRows };
  const run = async (at: number) => {
    check();
    const start = at * blockRows;
    const count = Math.min(blockRows, requestRows - start);
    answers[at] = await answerBlock(plan, engine, blocks[at]!, count, first + start, later);
    answered += count;
  };
  try {
    await withConcurrency(blocks.length, concurrency, run);
  } finally {
    check(); // report why the batch ended, not the error that the backend throws as a result
  }
  return answers.flat();
}

async function answerBlock(
  plan: ServedPlan,
  engine: JavaScriptEngine,
  columns: readonly Column[],
  rows: number,
  first: number,
  later: LaterOptions,
): Promise<Answer[]> {
  const blocks = await sampledLater(plan, rows, (nanoseconds) =>
    engine.runLater(columns, rows, first, { ...later, nanoseconds }),
  );
  return Array.from({ length: rows }, (_, row) => answerFromBlocks(plan.outputs, blocks, row));
}

/** Returns the estimated time of one row in the stages without black boxes. */
const nanosHere = ({ compiled: { stages } }: ServedPlan): number =>
  stages.reduce((sum, planned) => sum + (hasBlackBox(planned) ? 0 : planned.marks.nanosPerRow), 0);

const hasBlackBox = ({ stage }: PlannedStage): boolean => stage.steps.some(isBlackBox);
const isBlackBox = ({ operator }: Step): boolean => operator === BLACK_BOX;
