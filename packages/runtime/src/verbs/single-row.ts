import { optionNames } from '@brezel/core';
import type { Answer } from '../execute/answers/answers.js';
import { checkOut } from '../execute/answers/out-array.js';
import type { EngineName } from '../execute/engine-name.js';
import type { Row } from '../execute/rows/row-schema.js';
import { type CallLimits, type CallOptions, callLimits } from '../features/admission/call-limits.js';
import type { CallPlace } from '../features/admission/queue.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { observesSync, PredictionTrace, traceOf } from '../telemetry/prediction-trace.js';
import { rowEngine } from './choose-engine.js';
import { callOf, type Serving, traced } from './serving.js';

/** Options of `predict`. */
export interface PredictOptions extends CallOptions {
  /**
   * The engine that runs the row. Default: the engine from the registration. Without one, a row
   * runs immediately if its estimated time is at most 1 ms.
   */
  readonly engine?: Exclude<EngineName, 'reference'>;
  /** False, like no option, returns the answer alone. See `WithContributions`. */
  readonly contributions?: false | undefined;
}

/** The names of the options of `predict`. */
export const predictOptionNames = optionNames<PredictOptions>({
  deadlineMs: true,
  signal: true,
  engine: true,
  contributions: true,
});

/**
 * Implements `runtime.predictSync`: answers one row synchronously, through the features of its
 * plan.
 */
export function predictOne(
  { live }: Serving,
  plan: RegisteredPlan,
  row: Row,
  out?: Float64Array,
): Answer | Float64Array {
  const record = live.record(plan);
  if (out !== undefined) checkOut(out, record.width, record.name);
  if (!observesSync(record)) return record.execute.row(row, out);
  return new PredictionTrace(record, 'predictSync', 1).around(() => record.execute.row(row, out));
}

/** Implements `runtime.predict`: answers one row through the features of its plan. */
export async function predictOneLater(
  serving: Serving,
  plan: RegisteredPlan,
  row: Row,
  options: PredictOptions,
): Promise<Answer> {
  checkRuntimeOptions(options, predictOptionNames, 'predict');
  const record = serving.live.record(plan);
  const limits = callLimits(record.name, options, serving.clock);
  return answerOne(serving, record, row, { engine: options.engine, limits });
}

/** The checked options of a call with one row. */
interface OneRowCall {
  readonly engine: PredictOptions['engine'];
  readonly limits: CallLimits | undefined;
  /** The place of the row in the queue, if the caller has already added the row. */
  readonly place?: CallPlace;
}

/**
 * Answers the row of a checked call. Returns the answer itself instead of a promise if the row runs
 * immediately and the call has no trace.
 */
export function answerOne(
  serving: Serving,
  record: PlanRecord,
  row: Row,
  { engine, limits, place }: OneRowCall,
): Answer | Promise<Answer> {
  const choice = rowEngine(record, engine, serving.queue.rowsBeside(place));
  const trace = traceOf(record, 'predict', 1, choice);
  const isQueued = choice.engine !== 'request-response';
  if (!isQueued && trace === undefined)
    return record.execute.row(row, undefined, limits && (() => limits.check(0, 1))) as Answer;
  const call = callOf(serving, record, { rows: 1, limits, trace, isQueued, place });
  return traced(trace, () => record.execute.rowLater(row, call));
}
