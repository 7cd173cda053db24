import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RESOLUTION, summary } from '../harness/stats.mjs';
import { incomparable, kindsIn, measuredOf, named, rangeOf } from './records.mjs';

// Estimates how much two runs differ beyond the ranges of their blocks. All blocks of a run
// are measured within minutes, so they cannot show how the speed of the machine changes later. This
// module therefore computes, for each kind of measurement, the differences between pairs of runs of
// the same build. These differences widen the ranges of other runs.
//
// This is conformal prediction on logarithms (Romano, Patterson, Candès, "Conformalized quantile
// regression", 2019). If N points are exchangeable, the excess of a new point is at most the
// largest excess of the N points with probability N / (N + 1).

/** @typedef {import('./records.mjs').BenchRecord} BenchRecord */
/** @typedef {import('./goals.mjs').Run} Run */
/**
 * @typedef {{ kind: string, distances: number[], beyond: number[] }} Difference
 *   `distances` holds |log(second / first)| for each metric of a kind. `beyond` holds the
 *   logarithmic distance from a value to the range of the other run, for values outside this range.
 */
/**
 * @typedef {{ id: string, machine: BenchRecord, runs: { id: string, commit: string, date: string,
 * build?: string }[], kinds: Difference[] }} Pair
 *   Two runs of one build on one machine, and how much their metrics differ.
 */
/**
 * @typedef {{ kind: string, pairs: number, points: number, beyond: number, typical: number, p90:
 * number, largest: number, excess: number, margin: number, factor: number }} Factor
 *   How much runs of one build differ in one kind of measurement. `typical`, `p90` and `largest`
 *   are ratios of two runs. `excess` is the largest ratio of a value to the nearest end of its
 *   range. `factor` widens ranges: `excess` to the power `margin`, or `typical` if it is larger.
 */

/** The file with the differences between pairs of runs of the same build. */
export const LEARNED = fileURLToPath(new URL('../results/between-runs.json', import.meta.url));

/**
 * For each kind of measurement, the number of values of a run that may be outside their ranges: one
 * value in ten runs.
 */
const OUTSIDE = 0.1;
/** If one of these fields differs, two runs are from different machines. */
const MACHINE = ['cpu', 'cores', 'scale'];
/** Stored logarithms have this many digits after the decimal point. */
const DIGITS = 5;

/**
 * Returns a checksum of a run: of its machine, commit, date, build and measured values, but not of
 * its texts.
 *
 * @param {Run} run
 */
export function runId({ about, records }) {
  const { cpu, cores, scale, commit, date, build } = about;
  const values = [...named(records)].map(([key, record]) => [key, measuredOf(record)]);
  const text = JSON.stringify([cpu, cores, scale, commit, date, build, values]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Returns the range in which a second value is expected, from the samples of one run. A record with
 * a single value gets the range of values that count as equal (`RESOLUTION`).
 *
 * @param {BenchRecord} record
 */
function blockRange(record) {
  const value = measuredOf(record);
  return rangeOf(record) ?? { min: value / RESOLUTION, max: value * RESOLUTION };
}

/**
 * Returns the logarithm of the ratio between a value and the nearest end of a range, or 0 if the
 * range contains the value.
 *
 * @param {number} value above 0
 * @param {import('../harness/stats.mjs').Range} range
 */
function excessOf(value, { min, max }) {
  if (value > max) return Math.log(value / max);
  return value < min ? Math.log(min / value) : 0;
}

/**
 * Computes how much the metrics of two runs of one build differ. The order of the runs does not
 * matter.
 *
 * @param {Run} one
 * @param {Run} other
 * @returns {Pair}
 */
export function learn(one, other) {
  const [runs, kindOf, others] = [[one, other], kindsIn(one.records), named(other.records)];
  /** @type {Map<string, Difference>} */
  const kinds = new Map();
  for (const [key, record] of named(one.records)) {
    const second = others.get(key);
    if (second === undefined || !(measuredOf(record) > 0 && measuredOf(second) > 0)) continue;
    const kind = kindOf(record);
    const difference = kinds.get(kind) ?? { kind, distances: [], beyond: [] };
    const [value, again] = [measuredOf(record), measuredOf(second)];
    const excess = Math.max(excessOf(again, blockRange(record)), excessOf(value, blockRange(second)));
    difference.distances.push(Number(Math.abs(Math.log(again / value)).toFixed(DIGITS)));
    if (excess > 0) difference.beyond.push(Number(excess.toFixed(DIGITS)));
    kinds.set(kind, difference);
  }
  const about = runs.map((run) => {
    const { commit, date, build } = run.about;
    return { id: runId(run), commit, date, build };
  });
  const id = about
    .map((run) => run.id)
    .sort()
    .join('-');
  const machine = Object.fromEntries(MACHINE.map((field) => [field, one.about[field]]));
  return { id, machine, runs: about, kinds: [...kinds.values()] };
}

/**
 * Returns why two runs are unfit for learning how much runs of the same build differ, or undefined
 * if they are fit.
 *
 * @param {Run} one
 * @param {Run} other
 * @returns {string | undefined}
 */
export function unfit(one, other) {
  if (runId(one) === runId(other)) return 'they are the same run';
  if (one.about.quick || (one.about.scale ?? 1) < 1) return 'the numbers of smoke runs mean nothing';
  if (one.about.build !== other.about.build) return 'they are of two builds, which may differ in speed';
  return incomparable(one.about, other.about);
}

/**
 * Returns the number by which the largest excess (a logarithm) of earlier pairs of runs is
 * multiplied: the smallest number, at least 1, with which at most OUTSIDE values of a run are
 * expected outside their ranges.
 *
 * Assumption: excesses have exponential tails. A new excess is then above c times the largest of N
 * earlier excesses with the probability 1 / (1 + c) * 2 / (2 + c) * ... * N / (N + c).
 *
 * @param {number} points learned
 * @param {number} ofRun points of the kind in a run
 */
export function margin(points, ofRun) {
  for (let hundredths = 100; ; hundredths++) {
    const exponent = hundredths / 100;
    let expected = ofRun;
    for (let point = 1; point <= points; point++) expected *= point / (point + exponent);
    if (expected <= OUTSIDE) return exponent;
  }
}

/**
 * Returns, for each kind of measurement, the factor by which the ranges of a comparison widen: the
 * largest excess to the power of the margin. The factor is at least the median difference of two
 * runs: the next run may have an excess even if no earlier run had one.
 *
 * @param {readonly Pair[]} pairs
 * @returns {Factor[]}
 */
export function learnedFactors(pairs) {
  const names = [...new Set(pairs.flatMap(({ kinds }) => kinds.map(({ kind }) => kind)))];
  return names.map((kind) => {
    const all = pairs.flatMap(({ kinds }) => kinds.filter((one) => one.kind === kind));
    const distances = all.flatMap((one) => one.distances).sort((a, b) => a - b);
    const excesses = all.flatMap((one) => one.beyond);
    const [points, excess] = [distances.length, Math.max(0, ...excesses)];
    const typical = summary(distances).median;
    const exponent = margin(points, points / all.length);
    const ratio = (/** @type {number} */ log) => Number(Math.exp(log).toPrecision(4));
    return {
      kind,
      pairs: all.length,
      points,
      beyond: excesses.length,
      typical: ratio(typical),
      p90: ratio(distances[Math.floor(0.9 * points)]),
      largest: ratio(distances[points - 1]),
      excess: ratio(excess),
      margin: exponent,
      factor: ratio(Math.max(typical, exponent * excess)),
    };
  });
}

/**
 * Reads the pairs of runs from their file.
 *
 * @param {string} [file]
 * @returns {Pair[]} empty without a file
 */
export const learnedPairs = (file = LEARNED) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).pairs : []);

/**
 * Returns the text of between-runs.json: factors and pairs, with each list of numbers on one line.
 *
 * @param {readonly Pair[]} pairs
 */
export const learnedText = (pairs) =>
  `${JSON.stringify({ kinds: learnedFactors(pairs), pairs }, null, 1).replace(/\[[\s\d.,e-]+\]/g, (list) => list.replace(/\s+/g, ' '))}\n`;

/**
 * Selects the pairs of runs that widen the ranges of a run. It selects pairs from the same machine.
 * If there are none, it selects pairs from the same processor with another number of cores. It
 * never selects a pair that contains the run itself.
 *
 * @param {Run} run
 * @param {readonly Pair[]} pairs
 */
export function pairsFor(run, pairs) {
  const others = pairs.filter(({ runs }) => runs.every(({ id }) => id !== runId(run)));
  const alike = (/** @type {readonly string[]} */ fields) =>
    others.filter(({ machine }) => fields.every((field) => machine[field] === run.about?.[field]));
  const own = alike(MACHINE);
  return own.length > 0 ? own : alike(MACHINE.filter((field) => field !== 'cores'));
}

/**
 * Returns a run with widened ranges. The field `between` of each record contains its kind and, if
 * known, the factor. All code that prints ranges calls this function first.
 *
 * @param {Run} run
 * @param {readonly Pair[]} pairs
 * @returns {Run}
 */
export function withRanges(run, pairs) {
  const factors = new Map(learnedFactors(pairsFor(run, pairs)).map(({ kind, factor }) => [kind, factor]));
  const kindOf = kindsIn(run.records);
  const metrics = new Set(named(run.records).values());
  const records = run.records.map((record) => {
    if (!metrics.has(record)) return record;
    const kind = kindOf(record);
    const factor = factors.get(kind);
    if (factor === undefined || !(measuredOf(record) > 0)) return { ...record, between: { kind } };
    const blocks = blockRange(record);
    const range = { min: blocks.min / factor, max: blocks.max * factor };
    // In a point, min and max are the smallest and the largest sample.
    return { ...record, ...(record.kind === 'point' ? { expected: range } : range), between: { kind, factor } };
  });
  return { ...run, records };
}
