import { optionNames } from '@brezel/core';
import { runtimeError } from '../errors.js';
import type { Answer } from '../execute/answers.js';
import type { EngineName } from '../execute/engine-name.js';
import type { Row } from '../execute/row-schema.js';
import { type CallOptions, callLimits } from '../features/admission/call-limits.js';
import { referenceChain } from '../features/chain.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { traceOf } from '../telemetry/prediction-trace.js';
import { batchEngine } from './choose-engine.js';
import { callOf, type Serving, traced } from './serving.js';

/** Options of `predictBatch`. */
export interface BatchOptions extends CallOptions {
  /** Default: the engine from the registration, or `batch`. */
  readonly engine?: EngineName;
}

const batchOptionNames = optionNames<BatchOptions>({ deadlineMs: true, signal: true, engine: true });

/** Implements `runtime.predictBatch`: answers many rows through the features of their plan. */
export async function predictRows(
  serving: Serving,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: BatchOptions,
): Promise<Answer[]> {
  checkRuntimeOptions(options, batchOptionNames, 'predictBatch');
  const record = serving.live.record(plan);
  if (!Array.isArray(rows)) throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an array of rows', at: record.name });
  const choice = batchEngine(record, options.engine, rows.length, serving.queue.rows);
  const trace = traceOf(record, 'predictBatch', rows.length, choice);
  const limits = callLimits(record.name, options, serving.clock);
  const call = callOf(serving, record, {
    rows: rows.length,
    limits,
    trace,
    isQueued: choice.engine !== 'request-response',
  });
  const execute = choice.engine === 'reference' ? referenceChain(record, serving) : record.execute;
  return traced(trace, () => execute.rows(rows, call));
}
