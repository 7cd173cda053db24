import { listedAnswers } from '../execute/answers/answer-sink.js';
import type { Answer } from '../execute/answers/answers.js';
import type { Row } from '../execute/rows/row-schema.js';
import { type CallLimits, callLimits } from '../features/admission/call-limits.js';
import type { CallPlace } from '../features/admission/queue.js';
import {
  answerStream,
  checkStream,
  type RowSource,
  type StreamOptions,
  streamOptionNames,
} from '../features/stream/answer-stream.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { PlanRecord } from '../plans/plan-record.js';
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
  return answerStream(rows, options, (block, first) =>
    answerStreamBlock(serving, serving.live.record(plan), block, { first, limits }),
  );
}

/** The block of a stream: the index of its first row in the stream, and the limits of the call. */
interface StreamBlock {
  readonly first: number;
  readonly limits: CallLimits | undefined;
  /** The place of the rows in the queue, if the caller has already added the rows. */
  readonly place?: CallPlace;
}

/** Answers a block of a stream through the features of the plan. */
export function answerStreamBlock(
  serving: Serving,
  record: PlanRecord,
  block: readonly Row[],
  { first, limits, place }: StreamBlock,
): Promise<Answer[]> {
  const trace = traceOf(record, 'predictStream', block.length);
  const call = callOf(serving, record, { rows: block.length, limits, trace, first, isPaced: true, place });
  return traced(trace, () => record.execute.rows(block, call, listedAnswers(record)));
}
