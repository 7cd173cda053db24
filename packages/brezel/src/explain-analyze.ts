import type { PlanMeasurement } from '@brezel/core';
import { drawPlans } from '@brezel/explain-svg';
import type { Program } from '@brezel/flour';
import { bake, type ExplainOptions, explain, type OvenOptions } from '@brezel/oven';
import type { ProfileOptions, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { createRuntime, type RuntimeOptions } from './wire.js';

export interface MeasureOptions extends Omit<OvenOptions, 'observe'>, ProfileOptions, Omit<RuntimeOptions, 'store'> {}

/** A plan that waits to be measured, and the runtime that holds it. */
export interface MeasuredPlan {
  readonly runtime: Runtime;
  readonly plan: RegisteredPlan;
}

/**
 * Plans a program and measures the plan in a runtime of its own, which is closed again.
 *
 * @param rows what the plan gets in production, or a function that gives it once the plan is known.
 * @throws ERR_RUNTIME_INPUT when a row does not fit, or there is none; ERR_RUNTIME_OPTION.
 * @example
 * const measurement = await measurePlan(program, [{ text: 'a good film' }], { durationMs: 20 });
 * await writeFile('plan.svg', await drawPlans(program, { measurements: [measurement] }));
 */
export async function measurePlan(
  program: Program,
  rows: readonly Row[] | ((measured: MeasuredPlan) => readonly Row[] | Promise<readonly Row[]>),
  options: MeasureOptions = {},
): Promise<PlanMeasurement> {
  const { native, isa, backends, ...rest } = options;
  const { store } = program.context;
  await using runtime = createRuntime({
    store,
    isolated: true,
    ...(native !== undefined && { native }),
    ...(isa && { isa }),
    ...(backends && { backends }),
  });
  const compiled = bake(program, rest);
  try {
    const plan = runtime.register(compiled);
    const given = typeof rows === 'function' ? await rows({ runtime, plan }) : rows;
    const { answers: _, ...measurement } = await runtime.profile(plan, given, rest);
    return measurement;
  } finally {
    compiled.release();
  }
}

export interface ExplainAnalyzeOptions extends MeasureOptions, Omit<ExplainOptions, 'measurements' | 'format'> {
  /** `svg` is a picture, `dot` is for Graphviz. Default `text`. */
  readonly format?: NonNullable<ExplainOptions['format']> | 'svg';
}

/**
 * Explains programs with what was measured of them on rows: time and bytes of each stage. Measures one after the other, `durationMs` each.
 *
 * @param rows what the programs get in production: they must fit all of them.
 * @throws ERR_RUNTIME_INPUT when a row does not fit, or there is none.
 * @example console.log(await explainAnalyze(program, [{ text: 'a good film' }], { durationMs: 20 }));
 */
export async function explainAnalyze(
  programs: Program | readonly Program[],
  rows: readonly Row[],
  options: ExplainAnalyzeOptions = {},
): Promise<string> {
  const list: readonly Program[] = Array.isArray(programs) ? programs : [programs as Program];
  const { format, ...rest } = options;
  const { observe: _, ...quiet } = rest; // rules are told once, when the plan is explained
  const measurements: PlanMeasurement[] = [];
  for (const program of list) measurements.push(await measurePlan(program, rows, quiet));
  if (format === 'svg') return drawPlans(list, { ...rest, measurements });
  return explain(list, { ...rest, measurements, ...(format && { format }) });
}
