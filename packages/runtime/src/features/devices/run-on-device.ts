import type { Answer } from '../../execute/answers.js';
import { answerFromBlocks } from '../../execute/answers.js';
import { admitBlocks, type BatchWatch, BLOCK_ROWS } from '../../execute/batch.js';
import { inLanes, ownSignal } from '../../execute/bounded-concurrency.js';
import { CopiedRows } from '../../execute/copied-rows.js';
import type { Column, Row } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { sampledLater } from '../../telemetry/stage-clocks.js';
import { Arrivals } from './announced-rows.js';
import type { DevicePlan } from './device-plan.js';

/** So many rows are on their way at once, in calls of the device: while one runs the next are made ready. */
const CALLS_AHEAD = 3;

/** Answers many rows by way of a device, several blocks at once, so that they gather there. All rows are checked before the first is answered. */
export async function runOnDevice(
  plan: ServedPlan,
  rows: readonly Row[],
  engine: DevicePlan,
  watch: BatchWatch,
  first = 0,
): Promise<Answer[]> {
  const { blockRows, maxBatch } = engine;
  const given = new CopiedRows(rows);
  const blocks = await admitBlocks(plan, given, watch, first, blockRows);
  const rowsOf = (at: number) => Math.min(blockRows, given.length - at * blockRows);
  const arrivals = blocks.map((_, at) => new Arrivals(engine.stages, rowsOf(at)));
  const answers = new Array<Answer[]>(blocks.length);
  let answered = 0;
  using ended = ownSignal(watch.limits?.signal);
  const { signal } = ended;
  const block = async (columns: readonly Column[], at: number) => {
    const check = () => watch.check(answered);
    check();
    const call = {
      signal,
      remainingMs: watch.limits?.remainingMs,
      check,
      arrivals: arrivals[at],
      requestRows: given.length,
    };
    const outputs = await sampledLater(engine, rowsOf(at), (nanoseconds) =>
      engine.plan.runLater(columns, rowsOf(at), first + at * blockRows, { ...call, nanoseconds }),
    );
    answers[at] = Array.from({ length: rowsOf(at) }, (_, row) => answerFromBlocks(plan.outputs, outputs, row));
    answered += rowsOf(at);
  };
  const run = (at: number) => block(blocks[at]!, at).finally(() => arrivals[at]!.end());
  const lanes = Math.ceil((CALLS_AHEAD * Math.max(maxBatch, BLOCK_ROWS)) / blockRows);
  try {
    await inLanes(blocks.length, lanes, run);
  } finally {
    for (const one of arrivals) one.end();
  }
  watch.check(answered);
  return answers.flat();
}
