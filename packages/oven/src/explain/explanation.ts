import type { CompiledPlan, OwnedPlan, PlanMeasurement, StagePlacement } from '@brezel/core';
import type { Program } from '@brezel/flour';
import { bake } from '../bake.js';
import type { OvenOptions, RuleEvent } from '../driver.js';
import { ovenError } from '../errors.js';

/** All there is to tell about one compilation. */
export interface Explanation {
  readonly program: Program;
  /** What the program is called here. */
  readonly name: string;
  readonly plan: OwnedPlan;
  readonly events: readonly RuleEvent[];
  readonly measurement?: PlanMeasurement;
  readonly placement?: readonly StagePlacement[];
}

/** What all ways to explain programs have in common. */
export interface ExplainedPrograms extends OvenOptions {
  /** What to call the programs, in their order. Default: their own names. */
  readonly names?: readonly string[];
  /** What was measured of the programs' plans, in their order: see `explainMeasured` and `runtime.profile`. */
  readonly measurements?: readonly PlanMeasurement[];
  /** Where the stages of each plan run: `(plan) => placePlan(plan, ...)`, or `() => runtime.placement(plan, rows)`. Default: nothing is said of it. */
  readonly place?: (plan: CompiledPlan) => readonly StagePlacement[];
}

/**
 * Compiles programs, hands over what there is to tell, and releases the plans.
 *
 * @throws ERR_OVEN_MEASUREMENT when a measurement is of other stages than those of the plan.
 */
export function withExplanations<T>(
  programs: readonly Program[],
  options: ExplainedPrograms,
  use: (explanations: readonly Explanation[]) => T,
): T {
  if (programs.length === 0) throw ovenError('ERR_OVEN_GRAPH', { expected: 'at least one program', at: 'explain' });
  const explanations: Explanation[] = [];
  try {
    for (const [at, program] of programs.entries()) explanations.push(explanationOf(program, at, options));
    return use(explanations);
  } finally {
    for (const { plan } of explanations) plan.release();
  }
}

function explanationOf(
  program: Program,
  at: number,
  { names, measurements, place, ...oven }: ExplainedPrograms,
): Explanation {
  const events: RuleEvent[] = [];
  const observe = (event: RuleEvent) => {
    events.push(event);
    oven.observe?.(event);
  };
  const plan = bake(program, { ...oven, observe });
  const measurement = measurements?.[at];
  const name = names?.[at] ?? program.name;
  const explanation = { program, name, plan, events, ...(place && { placement: placed(plan, place, name) }) };
  if (measurement === undefined) return explanation;
  const [wanted, given] = [plan, measurement].map(({ stages }) => stages.length);
  const same = plan.stages.every(({ stage }, index) => stage.key === measurement.stages[index]?.key);
  if (wanted === given && same) return { ...explanation, measurement };
  plan.release();
  throw ovenError('ERR_OVEN_MEASUREMENT', {
    expected: `a measurement of these ${wanted} stages`,
    received: wanted === given ? 'one of others' : `one of ${given}`,
    at: name,
  });
}

/** @throws ERR_OVEN_PLACEMENT when it is of other stages; what `place` throws. Then the plan is released. */
function placed(plan: OwnedPlan, place: NonNullable<ExplainedPrograms['place']>, at: string) {
  try {
    const placement = place(plan);
    if (placement.length === plan.stages.length && placement.every(({ stage }, index) => stage === index))
      return placement;
    const [expected, received] = [`a place for each of ${plan.stages.length} stages`, `${placement.length}`];
    throw ovenError('ERR_OVEN_PLACEMENT', { expected, received, at });
  } catch (error) {
    plan.release();
    throw error;
  }
}
