import { runtimeError } from '../errors.js';
import type { Answer } from '../execute/answers.js';
import type { EngineName } from '../execute/engine-name.js';
import type { PlanEngines } from '../execute/plan-engines.js';
import type { Row } from '../execute/row-schema.js';
import { type CallOptions, callLimits } from '../features/admission/call-limits.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { traceOf } from '../telemetry/prediction-trace.js';
import { answerIsolated } from './answer-isolated.js';
import { type AsynchronousCall, answerBatch } from './asynchronous.js';
import { batchEngine } from './choose-engine.js';
import { asynchronousCall, type Serving } from './serving.js';

export interface BatchOptions extends CallOptions {
  /** Default: what the plan was registered with, or `batch`. */
  readonly engine?: EngineName;
}

/** `runtime.predictBatch` */
export async function predictRows(
  serving: Serving,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: BatchOptions,
): Promise<Answer[]> {
  const { live, engines, queue, executors: door, isolation } = serving;
  const record = live.record(plan);
  if (!Array.isArray(rows)) throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an array of rows', at: record.name });
  const choice = batchEngine(record, options.engine, rows.length, queue.rows);
  const trace = traceOf(record, 'predictBatch', rows.length, choice);
  const call = asynchronousCall(serving, record, callLimits(record.name, options, serving.clock), trace);
  const answers = async () => {
    if (choice.engine === 'worker') return answerIsolated(call, isolation!, rows);
    if (choice.engine === 'request-response') return answerOneByOne(engines, call, rows);
    const executors = choice.engine === 'batch' ? door.forRows(record, rows.length) : undefined;
    return answerBatch(call, rows, { ...engines.batchRun(record, choice.engine), executors });
  };
  const run = () => record.guard.around(answers, options.signal);
  return trace === undefined ? run() : trace.aroundLater(run);
}

function answerOneByOne(
  engines: PlanEngines,
  { record, trace, limits }: AsynchronousCall,
  rows: readonly Row[],
): Answer[] {
  trace?.started();
  return rows.map((row, at) => {
    const check = limits && (() => limits.check(at, rows.length));
    if (at > 0) check?.();
    return engines.answerOne(record, row, undefined, check) as Answer;
  });
}
