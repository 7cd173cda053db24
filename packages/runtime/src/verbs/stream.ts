import { listedAnswers } from '../execute/answer-sink.js';
import type { Answer } from '../execute/answers.js';
import { type CallLimits, callLimits } from '../features/admission/call-limits.js';
import {
  type AnswerRows,
  answerStream,
  checkStream,
  type RowSource,
  type StreamOptions,
  streamOptionNames,
} from '../features/stream/answer-stream.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { traceOf } from '../telemetry/prediction-trace.js';
import { callOf, type Serving, traced } from './serving.js';

/** Implements `runtime.predictStream`: answers rows as they arrive, block after block. */
export function predictRowStream(
  serving: Serving,
  plan: RegisteredPlan,
  rows: RowSource,
  options: StreamOptions,
): AsyncGenerator<Answer, void, undefined> {
  checkRuntimeOptions(options, streamOptionNames, 'predictStream');
  const record = serving.live.record(plan);
  checkStream(record.name, rows, options);
  const { signal } = options;
  const limits = callLimits(record.name, { signal }, serving.clock);
  return answerStream(rows, options, rowAnswers(serving, plan, limits));
}

/** Returns a function that answers blocks of a stream through the features of the plan. */
export function rowAnswers(serving: Serving, plan: RegisteredPlan, limits: CallLimits | undefined): AnswerRows {
  return (block, first) => {
    const record = serving.live.record(plan);
    const trace = traceOf(record, 'predictStream', block.length);
    const call = callOf(serving, record, { rows: block.length, limits, trace, first, isPaced: true });
    return traced(trace, () => record.execute.rows(block, call, listedAnswers(record)));
  };
}
