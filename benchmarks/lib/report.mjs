import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';

// A benchmark reports records: JSON lines in the file BENCH_OUT names, and a readable line each on the terminal.

const bench = basename(process.argv[1] ?? '', '.mjs');

/** True for a smoke run: small models, few rounds; its numbers mean nothing. */
export const isQuick = process.argv.includes('--quick') || process.env.BENCH_QUICK === '1';

/** Share of the paper's workload, where an experiment knows one: 1 is the whole; less shows that it works. */
export const scale = Number(process.env.BENCH_SCALE ?? 1);

/** @param {Record<string, unknown>} record */
function write(record) {
  if (!process.env.BENCH_OUT) return;
  const part = process.env.BENCH_PART;
  const origin = process.env.BENCH_SCALE === undefined ? { bench } : { bench, ...(part && { of: part }), scale };
  appendFileSync(process.env.BENCH_OUT, `${JSON.stringify({ ...origin, ...record })}\n`);
}

/** Rounded to what a reader can use. @param {number} value */
export const short = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** One line on the terminal only. @param {string} line */
export const say = (line) => console.log(`  ${line}`);

/** A fact without numbers: what was compared, what is missing. @param {string} text */
export function note(text) {
  say(text);
  write({ kind: 'note', text });
}

/** @param {string} what @param {string} unit @param {import('./stats.mjs').Summary} times */
export function measure(what, unit, { median, p99, min, max, samples, expected }) {
  const more = samples > 1 ? ` (p99 ${short(p99)}, min ${short(min)}, ${samples} samples)` : '';
  say(`${what}: ${short(median)} ${unit}${more}`);
  write({ kind: 'measure', what, unit, median, p99, min, max, samples, expected });
}

/**
 * How we stand against a rival. `ratio` says how many times better we are; `target` is the least that the goal wants; low and high are the middle half of
 * ratios, min and max the spread that another run is expected in (`stated`).
 *
 * @param {{ goal: string, what: string, rival: string, unit: string, ours: number, theirs: number, ratio: number, low?: number, high?: number, min?: number, max?: number, target?: number, brief?: boolean, part?: string, figure?: string }} comparison part: of a goal with several; brief: belongs in the README even without a target
 */
export function comparison(comparison) {
  const { goal, what, rival, unit, ours, theirs, ratio, low, high, target } = comparison;
  const range = low === undefined || high === undefined ? '' : ` (${short(low)}-${short(high)})`;
  const aim = target === undefined ? '' : `, target ${target}x: ${ratio >= target ? 'met' : 'not met'}`;
  say(`${goal} ${what}: ${short(ours)} ${unit}, ${rival} ${short(theirs)} ${unit}: ${short(ratio)}x${range}${aim}`);
  write({ kind: 'comparison', ...comparison });
}

/**
 * A point of a figure: `x` is a name or a number (requests a second, executors), the rest is as `measure` has it.
 *
 * @param {{ figure: string, series: string, x: string | number, xUnit?: string, unit: string }} where
 * @param {{ median: number, p99?: number, min?: number, max?: number, samples?: number, expected?: import('./stats.mjs').Range }} values
 */
export function point(where, values) {
  const { figure, series, x, xUnit, unit } = where;
  const tail = values.p99 === undefined || values.samples === 1 ? '' : `, p99 ${short(values.p99)}`;
  say(`${figure} ${series}, ${x}${xUnit ? ` ${xUnit}` : ''}: ${short(values.median)} ${unit}${tail}`);
  write({ kind: 'point', ...where, ...values });
}

/**
 * What was measured for a goal that is no comparison, or a part of one; `benchmarks/goals.mjs` knows the targets. min and max: the
 * spread that another run is expected in.
 *
 * @param {{ goal: string, part?: string, measured: number, unit: string, min?: number, max?: number, note?: string }} result
 */
export function goal(result) {
  say(`${result.goal}${result.part ? ` ${result.part}` : ''}: ${short(result.measured)} ${result.unit}`);
  write({ kind: 'goal', ...result });
}

/**
 * What keeps a part of a goal from its target, with the figures of this run: a sentence. `goals.json` shows it where the target is not reached.
 *
 * @param {string} goal @param {string | readonly string[]} parts as `goal-list.mjs` names them @param {string} text
 */
export function binds(goal, parts, text) {
  say(`${goal} is bound: ${text}`);
  for (const part of [parts].flat()) write({ kind: 'binds', goal, part, text });
}

/** Something that could not be measured, and why: said, never left out. @param {string} what @param {string} why */
export function missing(what, why) {
  say(`${what}: not measured (${why})`);
  write({ kind: 'missing', what, why });
}
