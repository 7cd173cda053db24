import { appendFileSync } from 'node:fs';

// Writes the records of an experiment: JSON lines in the file BENCH_OUT, and one readable line for
// each record on the console.

const bench = process.env.BENCH_NAME;

/** True for a smoke run, which has small models and few rounds. Its numbers are meaningless. */
export const isQuick = process.env.BENCH_QUICK === '1';

/**
 * The fraction of the paper's workload that this run uses. With less than 1, the run is a smoke
 * test.
 */
export const scale = Number(process.env.BENCH_SCALE ?? 1);

/**
 * Appends a record to the results file that `BENCH_OUT` names, if it is set.
 *
 * @param {Record<string, unknown>} record
 */
function write(record) {
  if (!process.env.BENCH_OUT) return;
  const part = process.env.BENCH_PART;
  const origin = { bench, ...(part && { of: part }), ...(process.env.BENCH_SCALE !== undefined && { scale }) };
  appendFileSync(process.env.BENCH_OUT, `${JSON.stringify({ ...origin, ...record })}\n`);
}

/**
 * Formats a number with three significant digits.
 *
 * @param {number} value
 */
export const short = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

/**
 * Prints a line without writing a record.
 *
 * @param {string} line
 */
export const say = (line) => console.log(`  ${line}`);

/**
 * Records the distribution of a measured quantity: median, p99, extremes and number of samples.
 *
 * @param {string} what
 * @param {string} unit
 * @param {import('./stats.mjs').Summary} times
 */
export function measure(what, unit, { median, p99, min, max, samples, expected }) {
  const more = samples > 1 ? ` (p99 ${short(p99)}, min ${short(min)}, ${samples} samples)` : '';
  say(`${what}: ${short(median)} ${unit}${more}`);
  write({ kind: 'measure', what, unit, median, p99, min, max, samples, expected });
}

/**
 * Records a comparison with a rival. A `ratio` above 1 means that Brezel is better. `low` to `high`
 * is the middle half of the ratios. `min` to `max` is the range in which the ratio of a second run
 * is expected (`expectedRange`).
 *
 * @param {{ goal: string, what: string, rival: string, unit: string, ours: number, theirs: number,
 * ratio: number, low?: number, high?: number, min?: number, max?: number, target?: number, brief?:
 * boolean, part?: string, figure?: string }} comparison
 *   `target` is the smallest ratio that meets the goal, and `part` a part of the goal. With
 *   `brief`, docs/benchmarks.md shows the comparison even without a target.
 */
export function comparison(comparison) {
  const { goal, what, rival, unit, ours, theirs, ratio, low, high, target } = comparison;
  const range = low === undefined || high === undefined ? '' : ` (${short(low)}-${short(high)})`;
  const aim = target === undefined ? '' : `, target ${target}x: ${ratio >= target ? 'met' : 'not met'}`;
  say(`${goal} ${what}: ${short(ours)} ${unit}, ${rival} ${short(theirs)} ${unit}: ${short(ratio)}x${range}${aim}`);
  write({ kind: 'comparison', ...comparison });
}

/**
 * Records a point of a figure. `x` is a name, or a number such as requests per second.
 *
 * @param {{ figure: string, series: string, x: string | number, xUnit?: string, unit: string }}
 * where
 * @param {{ median: number, p99?: number, min?: number, max?: number, samples?: number, expected?:
 * Partial<import('./stats.mjs').Range> }} values
 */
export function point(where, values) {
  const { figure, series, x, xUnit, unit } = where;
  const tail = values.p99 === undefined || values.samples === 1 ? '' : `, p99 ${short(values.p99)}`;
  say(`${figure} ${series}, ${x}${xUnit ? ` ${xUnit}` : ''}: ${short(values.median)} ${unit}${tail}`);
  write({ kind: 'point', ...where, ...values });
}

/**
 * Records the value of a goal that is not a comparison. `report/goals.mjs` has the targets. `min`
 * to `max` is the range in which the value of a second run is expected.
 *
 * @param {{ goal: string, part?: string, measured: number, unit: string, min?: number, max?:
 * number, note?: string }} result
 */
export function goal(result) {
  say(`${result.goal}${result.part ? ` ${result.part}` : ''}: ${short(result.measured)} ${result.unit}`);
  write({ kind: 'goal', ...result });
}

/**
 * Records the likely reasons for missing a goal, in sentences with numbers of this run.
 * `goals.json` shows the text if the goal is missed.
 *
 * @param {string} goal
 * @param {string | readonly string[]} parts as in `report/goals.mjs`
 * @param {string} text
 */
export function binds(goal, parts, text) {
  say(`${goal} limit: ${text}`);
  for (const part of [parts].flat()) write({ kind: 'binds', goal, part, text });
}

/**
 * Records a property of both engines that is a text, such as the installed size.
 *
 * @param {{ what: string, ours: string, theirs: string }} values
 */
export function fact(values) {
  say(`${values.what}: ${values.ours}, onnxruntime-node ${values.theirs}`);
  write({ kind: 'fact', ...values });
}

/**
 * Records what could not be measured and why.
 *
 * @param {string} what
 * @param {string} why
 */
export function missing(what, why) {
  say(`${what}: not measured (${why})`);
  write({ kind: 'missing', what, why });
}
