import type { Collect } from '../../execute/answers/answer-sink.js';
import { admitBlocks, type BatchCall, BLOCK_ROWS } from '../../execute/batch.js';
import { blockSignal, withConcurrency } from '../../execute/bounded-concurrency.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import type { Column } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { sampledLater } from '../../telemetry/stage-clocks.js';
import { AnnouncedRows } from './announced-rows.js';
import type { DeviceEngine } from './device-engine.js';

/**
 * One request has blocks for about this many device calls in flight, so that the next blocks are
 * prepared while a device call runs.
 */
const CALLS_AHEAD = 3;

/**
 * Answers many rows on a device. Several blocks run concurrently, so that one device call can run
 * the rows of several blocks. All rows are checked before the first row runs.
 */
export async function runOnDevice<Result>(
  plan: ServedPlan,
  rows: RowList,
  engine: DeviceEngine,
  { watch, first }: BatchCall,
  collect: Collect<Result>,
): Promise<Result> {
  const { blockRows, maxBatch } = engine;
  const blocks = await admitBlocks(plan, rows, watch, first, blockRows);
  const rowsOf = (at: number) => Math.min(blockRows, rows.length - at * blockRows);
  const announced = blocks.map((_, at) => new AnnouncedRows(engine.stages, rowsOf(at)));
  const sink = collect(rows.length);
  let answered = 0;
  const check = () => watch.check(answered);
  using ended = blockSignal(watch.limits, check);
  const { signal } = ended;
  const block = async (columns: readonly Column[], at: number) => {
    check();
    const call = {
      signal,
      remainingMs: watch.limits?.remainingMs,
      check,
      announced: announced[at],
      requestRows: rows.length,
    };
    const outputs = await sampledLater(engine, rowsOf(at), (nanoseconds) =>
      engine.plan.runLater(columns, rowsOf(at), first + at * blockRows, { ...call, nanoseconds }),
    );
    sink.take(outputs, rowsOf(at), at * blockRows);
    answered += rowsOf(at);
  };
  const run = (at: number) => block(blocks[at]!, at).finally(() => announced[at]!.end());
  const concurrency = Math.ceil((CALLS_AHEAD * Math.max(maxBatch, BLOCK_ROWS)) / blockRows);
  try {
    await withConcurrency(blocks.length, concurrency, run);
  } finally {
    for (const rows of announced) rows.end();
  }
  watch.check(answered);
  return sink.result;
}
