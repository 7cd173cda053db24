import type { EngineName } from '../execute/engine-name.js';
import type { Execute } from '../execute/execute.js';
import type { PlanGuard } from '../features/circuit-breaker/plan-guard.js';
import type { FeatureParts } from '../features/feature.js';
import type { ServedPlan } from './registered-plan.js';

/** Returns the record of a plan, with the serving features in front of it. */
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
 * A registered plan with everything that the verbs use: the served plan, and the serving features
 * in front of it.
 */
export interface PlanRecord extends ServedPlan {
  /**
   * The engine for calls that select no engine: the option `engine` of `register`.
   */
  readonly answersBy: EngineName | undefined;
  /**
   * Counts the outcomes of the plan's calls. A call of `predictMany` counts as a call of each of
   * its plans.
   */
  readonly guard: PlanGuard;
  /** Answers rows through all features of the plan, in the order of `features/chain.ts`. */
  readonly execute: Execute;
  /** The features of the plan, outermost first. */
  readonly features: readonly FeatureParts[];
}
