import type { EngineName } from '../execute/engine-name.js';
import type { Execute } from '../execute/execute.js';
import type { PlanGuard } from '../features/circuit-breaker/plan-guard.js';
import type { FeatureParts } from '../features/feature.js';
import type { ServedPlan } from './registered-plan.js';

/** Adds the features in front of a plan to it. */
export function recordOf(plan: ServedPlan, { answersBy, guard, execute, features }: Front): PlanRecord {
  const record = plan as { -readonly [Field in keyof PlanRecord]: PlanRecord[Field] };
  record.answersBy = answersBy;
  record.guard = guard;
  record.execute = execute;
  record.features = features;
  return record;
}

type Front = Pick<PlanRecord, 'answersBy' | 'guard' | 'execute' | 'features'>;

/**
 * A registered plan as the verbs see it: the plan that runs, and the serving features in front of
 * it.
 */
export interface PlanRecord extends ServedPlan {
  /** The engine of calls that name none, or undefined when the plan was registered without one. */
  readonly answersBy: EngineName | undefined;
  /** Counts how the calls of the plan end. `predictMany` counts at each of its plans. */
  readonly guard: PlanGuard;
  /** Answers rows through all features of the plan, in the order of `features/chain.ts`. */
  readonly execute: Execute;
  /** The features of the plan, outermost first. */
  readonly features: readonly FeatureParts[];
}
