import type { AnswerBlock } from '../execute/answer-block.js';
import type { Answer } from '../execute/answers.js';
import { runBatch } from '../execute/batch.js';
import { runBatchLater } from '../execute/boxed-batch.js';
import type { EngineChoice } from '../execute/engine-name.js';
import { ownTurn } from '../execute/event-loop-slicing.js';
import type { JavaScriptPlan } from '../execute/javascript-plan.js';
import { columnsOfRow } from '../execute/native/request-response.js';
import type { Column, Row } from '../execute/row-schema.js';
import type { CallLimits } from '../features/admission/call-limits.js';
import type { Queue } from '../features/admission/queue.js';
import { runOnDevice } from '../features/devices/run-on-device.js';
import type { RowExecution } from '../parallel/executors/batch-plan.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { PredictionTrace } from '../telemetry/prediction-trace.js';

/** One asynchronous prediction, and what it needs of its runtime. */
export interface AsynchronousCall {
  readonly record: PlanRecord;
  readonly queue: Queue;
  readonly limits: CallLimits | undefined;
  readonly trace: PredictionTrace | undefined;
  readonly choice?: EngineChoice;
  /** Throws when the plan is gone. */
  stillThere(): void;
}

/** One row: at once where it is short, else in a turn of its own; with others where the plan is registered so. */
export async function answerLater(call: AsynchronousCall, row: Row, answer: () => Answer): Promise<Answer> {
  const { record, limits, trace, choice } = call;
  const isBatch = choice?.engine === 'batch';
  if (isBatch && record.batching !== undefined) return record.batching.predict(row, limits, trace);
  return answerInItsTurn(call, row, isBatch, answer);
}

/** At once, or in a turn of its own. */
export async function answerInItsTurn<T>(
  call: AsynchronousCall,
  row: Row,
  waits: boolean,
  answer: () => T,
): Promise<T> {
  const { record, limits, trace } = call;
  if (waits) {
    const place = call.queue.enter(record.name, 1);
    try {
      place.add(columnsOfRow(record, row)); // a row that does not fit need not wait to hear of it
      trace?.queued();
      await ownTurn();
    } finally {
      place.leave();
    }
    call.stillThere();
    limits?.check(0, 1);
  }
  trace?.started();
  return answer();
}

/** How a batch runs. */
export interface BatchRun {
  readonly nanosPerRow: number;
  readonly answerBlock: AnswerBlock;
  /** Of a plan with black boxes: what runs it instead. */
  readonly boxes?: JavaScriptPlan;
  /** Stages may run on a device, where the plan was registered so. */
  readonly mayUseDevice?: boolean;
  /** Where it runs, if not on this thread. */
  readonly executors?: RowExecution | undefined;
  /** Number of the first row, for errors. Default 0. */
  readonly first?: number;
  /** Counted in the queue, and never refused: who sends the rows waits for the answers before he sends more. */
  readonly isPaced?: boolean;
}

/** Many rows in blocks, which count in the queue until all are answered. */
export async function answerBatch(call: AsynchronousCall, rows: readonly Row[], run: BatchRun): Promise<Answer[]> {
  const { record, limits } = call;
  const place = call.queue.enter(record.name, rows.length, run.isPaced);
  const watch = {
    check: (answered: number) => {
      call.stillThere();
      limits?.check(answered, rows.length);
    },
    enter: (columns: readonly Column[]) => place.add(columns),
    limits,
  };
  try {
    const device = run.mayUseDevice && record.devices?.takes(rows.length) ? record.devices.engine : undefined;
    call.trace?.started(device !== undefined ? 'device' : run.executors !== undefined ? 'executors' : 'here');
    if (device !== undefined) return await runOnDevice(record, rows, device, watch, run.first);
    if (run.executors !== undefined) return await run.executors.run(rows, watch, run.first ?? 0);
    if (run.boxes === undefined)
      return await runBatch(record, rows, run.nanosPerRow, run.answerBlock, watch, run.first);
    return await runBatchLater(record, rows, run.boxes, watch, run.first);
  } finally {
    place.leave();
  }
}
