import { callLimits } from '../admission-control/call-limits.js';
import { answerIsolated } from '../answering/answer-isolated.js';
import { answerBatch, type BatchRun } from '../answering/asynchronous.js';
import type { Answer } from '../answers.js';
import { traceOf } from '../observation/prediction-trace.js';
import type { RegisteredPlan } from '../registered-plan.js';
import { answerStream, checkStream, type RowSource, type StreamOptions } from '../stream/answer-stream.js';
import { asynchronousCall, type Serving } from './serving.js';

/** `runtime.predictStream` */
export function predictRowStream(
  serving: Serving,
  plan: RegisteredPlan,
  rows: RowSource,
  options: StreamOptions,
): AsyncGenerator<Answer, void, undefined> {
  const { live, engines, executors: door, isolation } = serving;
  const record = live.record(plan);
  checkStream(record.name, rows, options);
  const { signal } = options;
  const limits = callLimits(record.name, { signal });
  let engine: BatchRun | undefined;
  return answerStream(rows, options, (block, first) => {
    live.record(plan);
    const trace = traceOf(record, 'predictStream', block.length);
    const call = asynchronousCall(serving, record, limits, trace);
    const answers = async () => {
      if (record.isolated !== undefined) return answerIsolated(call, isolation!, block, { first, isPaced: true });
      engine ??= engines.batchRun(record, 'batch');
      const executors = door.forRows(record, block.length);
      return answerBatch(call, block, { ...engine, executors, first, isPaced: true });
    };
    const run = () => record.guard.around(answers, signal);
    return trace === undefined ? run() : trace.aroundLater(run);
  });
}
