import type { CompiledPlan, OwnedPlan, PlanMeasurement, StagePlacement } from '@brezel/core';
import type { Program } from '@brezel/flour';
import { bake } from '../bake.js';
import type { OvenOptions } from '../driver.js';
import { ovenError } from '../errors.js';
import type { RuleEvent } from '../step-run.js';

/** Everything that EXPLAIN shows about one compilation. */
export interface Explanation {
  readonly program: Program;
  /** The name under which EXPLAIN shows the program. */
  readonly name: string;
  readonly plan: OwnedPlan;
  readonly events: readonly RuleEvent[];
  readonly measurement?: PlanMeasurement;
  readonly placement?: readonly StagePlacement[];
}

/** Options of EXPLAIN for every output format. */
export interface ExplainedPrograms extends OvenOptions {
  /**
   * The names under which EXPLAIN shows the programs, in the order of the programs. Default: the
   * programs' names.
   */
  readonly names?: readonly string[];
  /**
   * A measurement of each plan, in the order of the programs. `explainMeasured` and
   * `runtime.profile` return measurements.
   */
  readonly measurements?: readonly PlanMeasurement[];
  /**
   * A function that returns where the stages of a plan run: `(plan) => placePlan(plan, ...)`, or
   * `() => runtime.placement(plan, rows)`. Without this function, EXPLAIN does not show where
   * stages run.
   */
  readonly place?: (plan: CompiledPlan) => readonly StagePlacement[];
}

/**
 * Compiles programs, calls `use` with their explanations, and then releases the plans.
 *
 * @throws ERR_OVEN_GRAPH without programs; ERR_OVEN_MEASUREMENT if the stages of a measurement are
 * not the stages of the plan; ERR_OVEN_PLACEMENT if `place` returns other stages.
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
 * Calls `place` and checks its result. Releases the plan if `place` or the check throws.
 *
 * @throws ERR_OVEN_PLACEMENT if the stages of the result are not the stages of the plan; the errors
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
