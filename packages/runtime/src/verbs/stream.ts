import type { Answer } from '../execute/answers.js';
import { callLimits } from '../features/admission/call-limits.js';
import { answerStream, checkStream, type RowSource, type StreamOptions } from '../features/stream/answer-stream.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { traceOf } from '../telemetry/prediction-trace.js';
import { answerIsolated } from './answer-isolated.js';
import { answerBatch, type BatchRun } from './asynchronous.js';
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
  const limits = callLimits(record.name, { signal }, serving.clock);
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
