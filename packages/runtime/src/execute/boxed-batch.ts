import { BLACK_BOX, type PlannedStage, type Step } from '@brezel/core';
import type { ServedPlan } from '../plans/registered-plan.js';
import { sampledLater } from '../telemetry/stage-clocks.js';
import type { Collect } from './answers/answer-sink.js';
import { admitBlocks, type BatchCall, blockRowsFor } from './batch.js';
import { blockSignal, withConcurrency } from './bounded-concurrency.js';
import type { JavaScriptEngine } from './javascript-engine.js';
import type { RowList } from './rows/copied-rows.js';
import type { LaterOptions } from './work.js';

/**
 * The number of blocks in flight when executors run the stages around black boxes. The number is
 * larger if the black boxes can run more blocks at the same time. Executors prepare the next blocks
 * while a black box runs.
 */
const CONCURRENT_BLOCKS = 4;

/**
 * Answers many rows of a plan with black boxes, which run on other threads or machines. Blocks run
 * one after another, or concurrently when executors run other stages of the plan, or when the black
 * boxes run several requests at once. All rows are checked before the first row runs.
 */
export async function runBatchLater<Result>(
  plan: ServedPlan,
  rows: RowList,
  engine: JavaScriptEngine,
  { watch, first }: BatchCall,
  collect: Collect<Result>,
): Promise<Result> {
  const blockRows = blockRowsFor(nanosHere(plan));
  const blocks = await admitBlocks(plan, rows, watch, first, blockRows);
  watch.check(0); // rejects a removed plan before the search for executors
  const requestRows = rows.length;
  const boxed = plan.boxes?.concurrency ?? 1;
  const concurrency = engine.usesExecutors(blockRows, { requestRows }) ? Math.max(CONCURRENT_BLOCKS, boxed) : boxed;
  let answered = 0;
  const check = () => watch.check(answered);
  using own = blockSignal(watch.limits, check);
  const sink = collect(requestRows);
  const later: LaterOptions = { signal: own.signal, check, requestRows };
  const run = async (at: number) => {
    check();
    const start = at * blockRows;
    const count = Math.min(blockRows, requestRows - start);
    const values = await sampledLater(plan, count, (nanoseconds) =>
      engine.runLater(blocks[at]!, count, first + start, { ...later, nanoseconds }),
    );
    sink.take(values, count, start);
    answered += count;
  };
  try {
    await withConcurrency(blocks.length, concurrency, run);
  } finally {
    check(); // report why the batch ended, not the error that the backend throws as a result
  }
  return sink.result;
}

/** Returns the estimated nanoseconds for one row in the stages without black boxes. */
const nanosHere = ({ compiled: { stages } }: ServedPlan): number =>
  stages.reduce((sum, planned) => sum + (hasBlackBox(planned) ? 0 : planned.marks.nanosPerRow), 0);

const hasBlackBox = ({ stage }: PlannedStage): boolean => stage.steps.some(isBlackBox);
const isBlackBox = ({ operator }: Step): boolean => operator === BLACK_BOX;
