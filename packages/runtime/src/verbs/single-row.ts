import type { Answer } from '../execute/answers.js';
import type { EngineName } from '../execute/engine-name.js';
import type { Row } from '../execute/row-schema.js';
import { type CallLimits, type CallOptions, callLimits } from '../features/admission/call-limits.js';
import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { observesSync, PredictionTrace, traceOf } from '../telemetry/prediction-trace.js';
import { answerIsolated } from './answer-isolated.js';
import { answerBatch, answerLater } from './asynchronous.js';
import { isElsewhere, rowEngine } from './choose-engine.js';
import { asynchronousCall, checkOut, type Serving } from './serving.js';

export interface PredictOptions extends CallOptions {
  /** Default: what the plan was registered with; or at once, if the row is expected to take less than a millisecond. */
  readonly engine?: Exclude<EngineName, 'reference'>;
}

/** `runtime.predictSync` */
export function predictRowSync(
  { live, engines }: Serving,
  plan: RegisteredPlan,
  row: Row,
  out?: Float64Array,
): Answer | Float64Array {
  const record = live.record(plan);
  if (out !== undefined) checkOut(out, record.width, record.name);
  if (record.isolated !== undefined) throw isolatedError(record, 'predictSync');
  if (!observesSync(record)) return engines.guardedOne(record, row, out);
  return new PredictionTrace(record, 'predictSync', 1).around(() => engines.guardedOne(record, row, out));
}

/** `runtime.predict` */
export async function predictRow(
  serving: Serving,
  plan: RegisteredPlan,
  row: Row,
  options: PredictOptions,
): Promise<Answer> {
  const { live, engines, queue, isolation } = serving;
  const record = live.record(plan);
  const limits = callLimits(record.name, options, serving.clock);
  const choice = rowEngine(record, options.engine, queue.rows);
  const trace = traceOf(record, 'predict', 1, choice);
  if (choice.engine === 'request-response' && trace === undefined)
    return engines.guardedOne(record, row, undefined, checkOf(limits)) as Answer;
  const call = { ...asynchronousCall(serving, record, limits, trace), choice };
  const answer = async () => {
    if (choice.engine === 'worker') return (await answerIsolated(call, isolation!, [row]))[0]!;
    if (isElsewhere(record, 1)) return (await answerBatch(call, [row], engines.batchRun(record, 'batch')))[0]!;
    return answerLater(call, row, () => engines.answerOne(record, row, undefined, checkOf(limits)) as Answer);
  };
  const run = () => record.guard.around(answer, options.signal);
  return trace === undefined ? run() : trace.aroundLater(run);
}

/** Called between the stages of a row. */
const checkOf = (limits: CallLimits | undefined) => limits && (() => limits.check(0, 1));
