import { listedAnswers } from '../execute/answers/answer-sink.js';
import type { Answer } from '../execute/answers/answers.js';
import { CopiedRows } from '../execute/rows/copied-rows.js';
import { checkArray } from '../execute/rows/row-errors.js';
import type { Row } from '../execute/rows/row-schema.js';
import { type CallLimits, callLimits } from '../features/admission/call-limits.js';
import type { CallPlace, QueuePlace } from '../features/admission/queue.js';
import { referenceChain } from '../features/chain.js';
import { traceOfGroup } from '../features/fan-out/answer-many.js';
import { answerGroupRows } from '../features/fan-out/answer-many-rows.js';
import { withFailedPlans } from '../features/fan-out/failed-plans.js';
import type { Group, PlanSets } from '../features/fan-out/plan-sets.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { traceOf } from '../telemetry/prediction-trace.js';
import { type BatchOptions, columnOptionNames } from './batch.js';
import { batchEngine, checkBatchEngine } from './choose-engine.js';
import { callOf, type Serving, traced, watchOf } from './serving.js';

/** A call of `predictManyBatch` whose arguments are checked. */
interface ManyRows {
  readonly serving: Serving;
  readonly planSets: PlanSets;
  /** The plans in the order of the caller. */
  readonly records: readonly PlanRecord[];
  readonly rows: CopiedRows;
  readonly limits: CallLimits | undefined;
  readonly places: CountedOnce;
  readonly engine: BatchOptions['engine'];
  /** Receives the answers of each plan, at the index of the plan. */
  readonly answers: Answer[][];
}

/** Implements `runtime.predictManyBatch`. */
export async function predictManyRows(
  serving: Serving,
  planSets: PlanSets,
  plans: readonly RegisteredPlan[],
  rows: readonly Row[],
  options: BatchOptions,
): Promise<Answer[][]> {
  checkRuntimeOptions(options, columnOptionNames, 'predictManyBatch');
  checkBatchEngine(options.engine);
  serving.live.checkOpen();
  checkArray(plans, 'plans', 'predictManyBatch');
  // `Array.from` reads a hole in the list as undefined, which is an unknown plan
  const records = Array.from(plans, (plan) => serving.live.record(plan));
  checkArray(rows, 'rows', 'predictManyBatch');
  const limits = callLimits('predictManyBatch', options, serving.clock);
  const place = serving.queue.enter('predictManyBatch', rows.length);
  try {
    // The rows are copied after the limits of the queue are checked, because the copy takes memory.
    const call = { rows: new CopiedRows(rows), answers: new Array<Answer[]>(records.length) };
    const places = new CountedOnce(place);
    await runAll({ serving, planSets, records, limits, places, engine: options.engine, ...call });
    return call.answers;
  } finally {
    place.leave();
  }
}

/**
 * The place of a call that runs its rows several times. The queue counts the bytes of the rows only
 * in the first run that adds bytes.
 */
class CountedOnce {
  readonly #place: QueuePlace;
  #counted: CallPlace | undefined;

  constructor(place: QueuePlace) {
    this.#place = place;
  }

  /** Returns the place for one run of the rows. */
  next(): CallPlace {
    const run: CallPlace = {
      rows: this.#place.rows,
      add: (columns) => {
        this.#counted ??= run;
        if (this.#counted === run) this.#place.add(columns);
      },
    };
    return run;
  }
}

/** Runs plans that can be merged, in groups. Then runs each other plan as `predictBatch` does. */
async function runAll(many: ManyRows): Promise<void> {
  const indexes = [...many.records.keys()];
  const isMerged = indexes.map((index) => canMerge(many, many.records[index]!));
  const merged = indexes.filter((index) => isMerged[index]);
  if (merged.length > 0) await runMerged(many, merged);
  for (const index of indexes) if (!isMerged[index]) await runAlone(many, index);
}

/** Runs plans in groups of merged plans. `merged` contains the indexes of these plans. */
async function runMerged(many: ManyRows, merged: readonly number[]): Promise<void> {
  const { records, planSets } = many;
  const set = planSets.hold(merged.map((index) => records[index]!));
  try {
    for (const group of set.groups) {
      const indexes = group.members.map(({ planIndex }) => merged[planIndex]!);
      if (indexes.length > 1) await runGroup(many, group, indexes);
      else await runAlone(many, indexes[0]!);
    }
  } finally {
    planSets.release(set);
  }
}

/**
 * Returns whether a plan can run in a group. A plan cannot if it runs on isolated workers, with the
 * engine `reference`, or always on another thread or device (`Execute.runsElsewhere`).
 */
const canMerge = ({ engine, rows }: ManyRows, record: PlanRecord): boolean =>
  engine !== 'reference' && record.isolated === undefined && !record.execute.runsElsewhere(rows.length);

/** Runs one plan with all its serving features. */
async function runAlone(many: ManyRows, index: number): Promise<void> {
  const { serving, records, rows, limits, engine, answers } = many;
  const record = records[index]!;
  serving.live.checkThere(record);
  const place = many.places.next();
  const choice = batchEngine(record, engine, rows.length, serving.queue.rowsBeside(place));
  const trace = traceOf(record, 'predictMany', rows.length, choice);
  const isQueued = choice.engine !== 'request-response';
  const call = callOf(serving, record, { rows: rows.length, limits, trace, isQueued, place });
  const execute = choice.engine === 'reference' ? referenceChain(record, serving) : record.execute;
  try {
    answers[index] = await traced(trace, () => execute.rows(rows, call, listedAnswers(record)));
  } catch (error) {
    throw withFailedPlans(error, [record]);
  }
}

async function runGroup(many: ManyRows, group: Group, indexes: readonly number[]): Promise<void> {
  const { serving, rows, limits, answers } = many;
  const place = many.places.next();
  const { record, members } = group;
  const { engine } = batchEngine(
    members[0]!.plan,
    many.engine ?? 'batch',
    rows.length,
    serving.queue.rowsBeside(place),
  );
  const watch = {
    ...watchOf(() => members.forEach(({ plan }) => serving.live.checkThere(plan)), limits, rows.length),
    enter: (columns: Parameters<CallPlace['add']>[0]) => place.add(columns),
  };
  const trace = traceOfGroup(group, rows.length);
  await traced(trace, async () => {
    watch.check(0);
    const isAtOnce = engine === 'request-response';
    // Worker threads of JavaScript executors do not receive merged plans.
    const executors =
      isAtOnce || record.engine !== 'native' ? undefined : serving.executors.forRows(record, rows.length);
    trace?.started(executors === undefined ? 'here' : 'executors');
    const blocks = () => serving.engines.blocksOf(record);
    const call = { rows, watch, signal: limits?.signal, isAtOnce, blocks, executors };
    const lists = await answerGroupRows(group, call, serving.engines);
    lists.forEach((list, at) => {
      answers[indexes[at]!] = list;
    });
  });
}
