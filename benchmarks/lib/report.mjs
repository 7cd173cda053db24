import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';

// A benchmark reports records: JSON lines in the file BENCH_OUT names, and a readable line each on the terminal.

const bench = basename(process.argv[1] ?? '', '.mjs');

/** True for a smoke run: small models, few rounds; its numbers mean nothing. */
export const isQuick = process.argv.includes('--quick') || process.env.BENCH_QUICK === '1';

/** @param {Record<string, unknown>} record */
function write(record) {
  if (process.env.BENCH_OUT) appendFileSync(process.env.BENCH_OUT, `${JSON.stringify({ bench, ...record })}\n`);
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

/** @param {string} what @param {string} unit @param {{ median: number, p99: number, min: number, max: number, samples: number }} times */
export function measure(what, unit, { median, p99, min, max, samples }) {
  const more = samples > 1 ? ` (p99 ${short(p99)}, min ${short(min)}, ${samples} samples)` : '';
  say(`${what}: ${short(median)} ${unit}${more}`);
  write({ kind: 'measure', what, unit, median, p99, min, max, samples });
}

/**
 * How we stand against a rival. `ratio` says how many times better we are; `target` is the least that the goal wants.
 *
 * @param {{ goal: string, what: string, rival: string, unit: string, ours: number, theirs: number, ratio: number, low?: number, high?: number, target?: number, brief?: boolean }} comparison brief: belongs in the README even without a target
 */
export function comparison(comparison) {
  const { goal, what, rival, unit, ours, theirs, ratio, low, high, target } = comparison;
  const range = low === undefined || high === undefined ? '' : ` (${short(low)}-${short(high)})`;
  const aim = target === undefined ? '' : `, target ${target}x: ${ratio >= target ? 'met' : 'not met'}`;
  say(`${goal} ${what}: ${short(ours)} ${unit}, ${rival} ${short(theirs)} ${unit}: ${short(ratio)}x${range}${aim}`);
  write({ kind: 'comparison', ...comparison });
}
