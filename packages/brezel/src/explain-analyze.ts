import type { CompiledPlan, PlanMeasurement, QualityStatistics } from '@brezel/core';
import { drawPlans } from '@brezel/explain-svg';
import type { Program } from '@brezel/flour';
import { bake, type ExplainOptions, explain, type OvenOptions } from '@brezel/oven';
import type { ProfileOptions, RegisteredPlan, Row, RowOptions, Runtime } from '@brezel/runtime';
import { createRuntime, type RuntimeOptions } from './wire.js';

/**
 * Options of `measurePlan`: how to compile the program, how to measure the plan, and how to create
 * the temporary runtime. Of the options of a runtime, only `native`, `isa` and `backends` have an
 * effect.
 */
export interface MeasureOptions extends Omit<OvenOptions, 'observe'>, ProfileOptions, Omit<RuntimeOptions, 'store'> {
  /**
   * Whether rows may have missing values, as in the option `missing` of `register`. Default
   * `refuse`.
   */
  readonly missing?: NonNullable<RowOptions['missing']>;
}

/** A plan to measure, with the runtime that has registered it. */
export interface MeasuredPlan {
  readonly runtime: Runtime;
  readonly plan: RegisteredPlan;
}

/**
 * Compiles a program and measures the plan in a temporary runtime.
 *
 * Cost: `durationMs` milliseconds, and the compilation.
 *
 * @param rows rows that resemble the rows in production, or a function that returns them for the
 * registered plan.
 * @throws ERR_RUNTIME_INPUT when a row does not match the schema or `rows` is empty;
 * ERR_RUNTIME_OPTION.
 * @example
 * const measurement = await measurePlan(program, [{ text: 'a good film' }], { durationMs: 20 });
 * await writeFile('plan.svg', await drawPlans(program, { measurements: [measurement] }));
 */
export async function measurePlan(
  program: Program,
  rows: readonly Row[] | ((measured: MeasuredPlan) => readonly Row[] | Promise<readonly Row[]>),
  options: MeasureOptions = {},
): Promise<PlanMeasurement> {
  const { native, isa, backends, durationMs, blockRows, missing = 'refuse', ...oven } = options;
  const { store } = program.context;
  await using runtime = createRuntime({
    store,
    isolated: true,
    ...(native !== undefined && { native }),
    ...(isa && { isa }),
    ...(backends && { backends }),
  });
  const compiled = bake(program, oven);
  try {
    const plan = runtime.register(compiled, { missing });
    const measuredRows = typeof rows === 'function' ? await rows({ runtime, plan }) : rows;
    const { answers: _, ...measurement } = await runtime.profile(plan, measuredRows, {
      ...(durationMs !== undefined && { durationMs }),
      ...(blockRows !== undefined && { blockRows }),
    });
    // Call this after `profile`: it checks all rows, and its errors name the index of a row in the
    // whole list. `qualityOf` would name the index in one of its batches.
    const quality = await qualityOf(runtime, { plan, compiled, missing }, measuredRows);
    return { ...measurement, ...(quality !== undefined && { quality }) };
  } finally {
    compiled.release();
  }
}

interface MeasuredPlanOptions {
  readonly plan: RegisteredPlan;
  readonly compiled: CompiledPlan;
  readonly missing: NonNullable<RowOptions['missing']>;
}

/**
 * The number of rows that `qualityOf` passes to each `predictBatch`. The counters of data quality
 * examine at most this many rows of one call.
 */
const ROWS_OF_CALL = 128;

/**
 * Counts missing, unknown and out-of-range values in all rows. Registers the plan a second time for
 * this, because the measured plan does not count them.
 */
async function qualityOf(
  runtime: Runtime,
  { plan: { name }, compiled, missing }: MeasuredPlanOptions,
  rows: readonly Row[],
): Promise<QualityStatistics | undefined> {
  const plan = runtime.register(compiled, { name: `${name} (quality)`, quality: { sampleEvery: 1 }, missing });
  try {
    for (let from = 0; from < rows.length; from += ROWS_OF_CALL)
      await runtime.predictBatch(plan, rows.slice(from, from + ROWS_OF_CALL));
    return runtime.quality(plan);
  } finally {
    runtime.unregister(plan);
  }
}

/** Options of `explainAnalyze`: how to measure the plan, and how to print it. */
export interface ExplainAnalyzeOptions extends MeasureOptions, Omit<ExplainOptions, 'measurements' | 'format'> {
  /** Output format. `svg` is a picture, and `dot` is for Graphviz. Default `text`. */
  readonly format?: NonNullable<ExplainOptions['format']> | 'svg';
}

/**
 * Explains programs with the measured time and bytes of each stage. It measures the programs one
 * after another, for `durationMs` milliseconds each.
 *
 * @param rows rows that resemble the rows in production. They must match the schemas of all
 * programs.
 * @throws ERR_RUNTIME_INPUT when a row does not match or `rows` is empty.
 * @example console.log(await explainAnalyze(program, [{ text: 'a good film' }], { durationMs: 20 }));
 */
export async function explainAnalyze(
  programs: Program | readonly Program[],
  rows: readonly Row[],
  options: ExplainAnalyzeOptions = {},
): Promise<string> {
  const list: readonly Program[] = Array.isArray(programs) ? programs : [programs as Program];
  const { format, ...rest } = options;
  // without `observe`, which would report the changes of rules twice: now, and when the plan is
  // explained
  const { observe: _, ...quiet } = rest;
  const measurements: PlanMeasurement[] = [];
  for (const program of list) measurements.push(await measurePlan(program, rows, quiet));
  if (format === 'svg') return drawPlans(list, { ...rest, measurements });
  return explain(list, { ...rest, measurements, ...(format && { format }) });
}
