import type { AnswerColumns } from '@brezel/core';
import { optionNames } from '@brezel/core';
import { answerColumns } from '../execute/answers/answer-columns.js';
import { type Collect, listedAnswers } from '../execute/answers/answer-sink.js';
import type { Answer } from '../execute/answers/answers.js';
import type { EngineName } from '../execute/engine-name.js';
import { ColumnRows } from '../execute/rows/column-rows.js';
import type { RowList } from '../execute/rows/copied-rows.js';
import { checkArray } from '../execute/rows/row-errors.js';
import type { Row } from '../execute/rows/row-schema.js';
import { type CallLimits, type CallOptions, callLimits } from '../features/admission/call-limits.js';
import type { CallPlace } from '../features/admission/queue.js';
import { referenceChain } from '../features/chain.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import type { PredictionVerb } from '../telemetry/latencies.js';
import { traceOf } from '../telemetry/prediction-trace.js';
import { batchEngine } from './choose-engine.js';
import { callOf, type Serving, traced } from './serving.js';

/** Options of `predictColumns` and `predictManyBatch`. */
export interface BatchOptions extends CallOptions {
  /**
   * The engine that runs the rows. Default: the engine from the registration, otherwise `batch`.
   */
  readonly engine?: EngineName;
}

/** Options of `predictBatch`. */
export interface RowBatchOptions extends BatchOptions {
  /** False, like no option, returns the answers alone. See `WithContributions`. */
  readonly contributions?: false | undefined;
}

/** The names of the options of `predictColumns` and `predictManyBatch`. */
export const columnOptionNames = optionNames<BatchOptions>({ deadlineMs: true, signal: true, engine: true });
/** The names of the options of `predictBatch`. */
export const batchOptionNames = optionNames<RowBatchOptions>({
  deadlineMs: true,
  signal: true,
  engine: true,
  contributions: true,
});

/** Implements `runtime.predictBatch`: answers many rows through the features of their plan. */
export async function predictRows(
  serving: Serving,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: RowBatchOptions,
): Promise<Answer[]> {
  checkRuntimeOptions(options, batchOptionNames, 'predictBatch');
  const record = serving.live.record(plan);
  checkArray(rows, 'rows', record.name);
  const limits = callLimits(record.name, options, serving.clock);
  const call = { verb: 'predictBatch', engine: options.engine, limits } as const;
  return answerRows(serving, record, rows, call, listedAnswers(record));
}

/** Implements `runtime.predictColumns`: answers rows in columns, and returns columns. */
export async function predictColumnRows(
  serving: Serving,
  plan: RegisteredPlan,
  columns: unknown,
  options: BatchOptions,
): Promise<AnswerColumns> {
  checkRuntimeOptions(options, columnOptionNames, 'predictColumns');
  const record = serving.live.record(plan);
  const rows = new ColumnRows(record, columns);
  const limits = callLimits(record.name, options, serving.clock);
  const call = { verb: 'predictColumns', engine: options.engine, limits } as const;
  return answerRows(serving, record, rows, call, answerColumns(record));
}

/** The checked options of a call with rows. */
interface RowsCall {
  readonly verb: PredictionVerb;
  readonly engine: BatchOptions['engine'];
  readonly limits: CallLimits | undefined;
  /** The place of the rows in the queue, if the caller has already added the rows. */
  readonly place?: CallPlace;
}

/** Answers the rows of a checked call. */
export function answerRows<Result>(
  serving: Serving,
  record: PlanRecord,
  rows: RowList,
  { verb, engine, limits, place }: RowsCall,
  collect: Collect<Result>,
): Promise<Result> {
  const choice = batchEngine(record, engine, rows.length, serving.queue.rowsBeside(place));
  const trace = traceOf(record, verb, rows.length, choice);
  const call = callOf(serving, record, {
    rows: rows.length,
    limits,
    trace,
    isQueued: choice.engine !== 'request-response',
    place,
  });
  const execute = choice.engine === 'reference' ? referenceChain(record, serving) : record.execute;
  return traced(trace, () => execute.rows(rows, call, collect));
}
