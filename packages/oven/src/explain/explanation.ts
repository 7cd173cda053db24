import type { CompiledPlan, OwnedPlan, PlanMeasurement, StagePlacement } from '@brezel/core';
import type { Program } from '@brezel/flour';
import { bake } from '../bake.js';
import type { OvenOptions, RuleEvent } from '../driver.js';
import { ovenError } from '../errors.js';

/** Everything that EXPLAIN shows about one compilation. */
export interface Explanation {
  readonly program: Program;
  /** The name of the program in the output. */
  readonly name: string;
  readonly plan: OwnedPlan;
  readonly events: readonly RuleEvent[];
  readonly measurement?: PlanMeasurement;
  readonly placement?: readonly StagePlacement[];
}

/** Options of EXPLAIN for every output format. */
export interface ExplainedPrograms extends OvenOptions {
  /** Names of the programs in the output, in order. Default: the programs' names. */
  readonly names?: readonly string[];
  /**
   * Measurements of the programs' plans, in order. `explainMeasured` and `runtime.profile` return
   * them.
   */
  readonly measurements?: readonly PlanMeasurement[];
  /**
   * Returns where the stages of a plan run: `(plan) => placePlan(plan, ...)`, or `() =>
   * runtime.placement(plan, rows)`. Without it, EXPLAIN shows no placement.
   */
  readonly place?: (plan: CompiledPlan) => readonly StagePlacement[];
}

/**
 * Compiles programs, passes their explanations to `use`, and then releases the plans.
 *
 * @throws ERR_OVEN_MEASUREMENT when a measurement is about other stages than the plan's.
 */
export function withExplanations<T>(
  programs: readonly Program[],
  options: ExplainedPrograms,
  use: (explanations: readonly Explanation[]) => T,
): T {
  if (programs.length === 0) throw ovenError('ERR_OVEN_GRAPH', { expected: 'at least one program', at: 'explain' });
  const explanations: Explanation[] = [];
  try {
    for (const [index, program] of programs.entries()) explanations.push(explanationOf(program, index, options));
    return use(explanations);
  } finally {
    for (const { plan } of explanations) plan.release();
  }
}

function explanationOf(
  program: Program,
  index: number,
  { names, measurements, place, ...oven }: ExplainedPrograms,
): Explanation {
  const events: RuleEvent[] = [];
  const observe = (event: RuleEvent) => {
    events.push(event);
    oven.observe?.(event);
  };
  const plan = bake(program, { ...oven, observe });
  const measurement = measurements?.[index];
  const name = names?.[index] ?? program.name;
  const explanation = { program, name, plan, events, ...(place && { placement: placed(plan, place, name) }) };
  if (measurement === undefined) return explanation;
  const [expected, received] = [plan, measurement].map(({ stages }) => stages.length);
  const same = plan.stages.every(({ stage }, index) => stage.key === measurement.stages[index]?.key);
  if (expected === received && same) return { ...explanation, measurement };
  plan.release();
  throw ovenError('ERR_OVEN_MEASUREMENT', {
    expected: `a measurement of the ${expected} stages of the plan`,
    received: expected === received ? 'a measurement of other stages' : `a measurement of ${received} stages`,
    at: name,
  });
}

/**
 * Calls `place` and checks its result. It releases the plan if that fails.
 *
 * @throws ERR_OVEN_PLACEMENT when the placement is about other stages than the plan's; the errors
 * of `place`.
 */
function placed(plan: OwnedPlan, place: NonNullable<ExplainedPrograms['place']>, at: string) {
  try {
    const placement = place(plan);
    if (placement.length === plan.stages.length && placement.every(({ stage }, index) => stage === index))
      return placement;
    const [expected, received] = [`a placement of each of the ${plan.stages.length} stages`, `${placement.length}`];
    throw ovenError('ERR_OVEN_PLACEMENT', { expected, received, at });
  } catch (error) {
    plan.release();
    throw error;
  }
}
