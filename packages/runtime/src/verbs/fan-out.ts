import type { Answer } from '../execute/answers/answers.js';
import { checkOut } from '../execute/answers/out-array.js';
import type { Row } from '../execute/rows/row-schema.js';
import { turnForRow } from '../features/admission/admission.js';
import { type CallOptions, callLimits, callOptionNames } from '../features/admission/call-limits.js';
import { answerGroup, answerMany, traceOfGroup, writeMany } from '../features/fan-out/answer-many.js';
import { PlanSets } from '../features/fan-out/plan-sets.js';
import { checkRuntimeOptions } from '../option-names.js';
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import type { LivePlans } from '../plans/live-plans.js';
import type { PlanLinker } from '../plans/plan-linker.js';
import type { RegisteredPlan } from '../plans/registered-plan.js';
import { isLong } from './choose-engine.js';
import { type Serving, traced, watchOf } from './serving.js';

/** Creates the plan sets of a runtime, which link and cache merged plans for `predictMany`. */
export const planSetsOf = (live: LivePlans, linker: PlanLinker, executors: ExecutorFacade): PlanSets =>
  new PlanSets({
    recordOf: (plan) => {
      const record = live.record(plan);
      if (record.isolated !== undefined) throw isolatedError(record, 'predictMany');
      return record;
    },
    link: ({ compiled, stages }, { maxInputBytes, ignoresExtraFields }) =>
      linker.link(compiled.name, compiled, stages, maxInputBytes, { ports: { ...compiled, ignoresExtraFields } }),
    unlink: (record) => {
      executors.remove(record, () => record.gone?.() ?? live.goneError(record));
      linker.unlink(record);
    },
  });

/** Implements `runtime.predictManySync`. */
export function predictRowManySync(
  { live, engines }: Serving,
  planSets: PlanSets,
  plans: readonly RegisteredPlan[],
  row: Row,
  out?: Float64Array,
): Answer[] | Float64Array {
  live.checkOpen();
  const set = planSets.enter(plans);
  try {
    if (out === undefined) return answerMany(set, row, engines);
    checkOut(out, set.width, 'predictManySync');
    writeMany(set, row, engines, out);
    return out;
  } finally {
    planSets.leave();
  }
}

/**
 * In one turn of the event loop, `predictMany` runs groups with at most this many nanoseconds of
 * estimated work.
 */
const TURN_NANOS = 500_000;

/** Implements `runtime.predictMany`. */
export async function predictRowMany(
  serving: Serving,
  planSets: PlanSets,
  plans: readonly RegisteredPlan[],
  row: Row,
  options: CallOptions,
): Promise<Answer[]> {
  checkRuntimeOptions(options, callOptionNames, 'predictMany');
  serving.live.checkOpen();
  const { clock } = serving;
  const limits = callLimits('predictMany', options, clock);
  const { plans: plansOfSet, groups } = planSets.of(plans);
  const answers = new Array<Answer>(plansOfSet.length);
  const traces = groups.map((group) => traceOfGroup(group, 1));
  let spent = 0; // estimated nanoseconds in this turn of the event loop
  let since = clock.now();
  for (const [at, { record }] of groups.entries()) {
    const isOver = spent + record.nanosPerRow > TURN_NANOS || (clock.now() - since) * 1e6 > TURN_NANOS;
    const waits = isLong(record) || (at > 0 && isOver);
    spent = record.nanosPerRow + (waits ? 0 : spent);
    const trace = traces[at];
    const watch = watchOf(() => void planSets.of(plansOfSet), limits, 1);
    await traced(trace, async () => {
      if (waits) {
        await turnForRow(serving.queue, record, row, { trace, watch });
        since = clock.now();
      }
      trace?.started();
      // Looked up in each turn, because between turns a plan may be removed or the set may be
      // evicted.
      const { groups: current } = planSets.enter(plansOfSet);
      try {
        answerGroup(current[at]!, row, serving.engines, answers);
      } finally {
        planSets.leave();
      }
    });
  }
  return answers;
}
