import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { incomparable, measuredOf, named, rangeOf } from './again.mjs';
import { kindsIn } from './kinds.mjs';
import { RESOLUTION, summary } from './stats.mjs';

// The blocks of one run do not know that the machine is another one a quarter of an hour later. How much two runs of a kind of measurement differ beyond
// the spread of their blocks is learned from pairs of runs, and a run states its spread by what pairs say that it is not part of.
//
// This is conformal prediction with an interval that is there already (Romano, Patterson and Candès, "Conformalized quantile regression", 2019), in logarithms:
// of N exchangeable points, another one lies within the largest excess of them with a probability of N / (N + 1).

/** @typedef {Record<string, any>} BenchRecord */
/** @typedef {import('./goals.mjs').Run} Run */
/** @typedef {{ kind: string, distances: number[], beyond: number[] }} Apart |log ratio| of the points of a kind in two runs; how far they lie beyond each other's spread, those that do */
/** @typedef {{ id: string, machine: BenchRecord, runs: { id: string, commit: string, date: string, build?: string }[], kinds: Apart[] }} Pair */
/** @typedef {{ kind: string, pairs: number, points: number, beyond: number, typical: number, p90: number, largest: number, excess: number, margin: number, factor: number }} Between of a kind: ratios of two runs (the median, 90 %, the largest), the largest factor beyond a spread, its margin (an exponent), and what spreads are widened by */

/** Where learned pairs are kept. */
export const LEARNED = fileURLToPath(new URL('../results/between-runs.json', import.meta.url));

/** Of ten runs, one may have a point of a kind outside. */
const OUTSIDE = 0.1;
/** Where these differ, runs are not of one machine, and differ by other amounts: much where the processor does. */
const MACHINE = ['cpu', 'cores', 'scale'];
/** Digits of logarithms that are kept. */
const DIGITS = 5;

/** Tells runs apart: a checksum of their records. @param {Run} run */
export const runId = ({ about, records }) =>
  createHash('sha256')
    .update(JSON.stringify([about, records]))
    .digest('hex')
    .slice(0, 12);

/** The spread of the blocks of a run; of what was measured once, the least that two runs are told apart by. @param {BenchRecord} record */
function rangeAlone(record) {
  const value = measuredOf(record);
  return rangeOf(record) ?? { min: value / RESOLUTION, max: value * RESOLUTION };
}

/** How far, in logarithms, a value lies beyond a spread. @param {number} value above 0 @param {import('./stats.mjs').Range} range */
function beyond(value, { min, max }) {
  if (value > max) return Math.log(value / max);
  return value < min ? Math.log(min / value) : 0;
}

/** What two runs of one build say of each kind, whichever came first. @param {Run} one @param {Run} other @returns {Pair} */
export function learn(one, other) {
  const [runs, kindOf, match] = [[one, other], kindsIn(one.records), named(other.records)];
  /** @type {Map<string, Apart>} */
  const kinds = new Map();
  for (const [key, record] of named(one.records)) {
    const second = match.get(key);
    if (second === undefined || !(measuredOf(record) > 0 && measuredOf(second) > 0)) continue;
    const kind = kindOf(record);
    const apart = kinds.get(kind) ?? { kind, distances: [], beyond: [] };
    const [value, again] = [measuredOf(record), measuredOf(second)];
    const excess = Math.max(beyond(again, rangeAlone(record)), beyond(value, rangeAlone(second)));
    apart.distances.push(Number(Math.abs(Math.log(again / value)).toFixed(DIGITS)));
    if (excess > 0) apart.beyond.push(Number(excess.toFixed(DIGITS)));
    kinds.set(kind, apart);
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

/** Why two runs say nothing of how runs differ. @param {Run} one @param {Run} other @returns {string | undefined} */
export function unfit(one, other) {
  if (runId(one) === runId(other)) return 'they are the same run';
  if (one.about.quick || (one.about.scale ?? 1) < 1) return 'numbers of smoke runs mean nothing';
  if (one.about.build !== other.about.build) return 'they are of two builds, which may differ by themselves';
  return incomparable(one.about, other.about);
}

/**
 * By how much the largest of so many excesses is raised, as a factor of its logarithm. Were excesses of exponential tails, another point would lie beyond
 * c times the largest of N with a probability of the product of j / (j + c) over j = 1 .. N (1 / (N + 1) for c = 1): c is such that of the points of a run
 * not more than OUTSIDE is expected there.
 *
 * @param {number} points learned @param {number} ofRun points of the kind in a run
 */
export function margin(points, ofRun) {
  for (let hundredths = 100; ; hundredths++) {
    const raised = hundredths / 100;
    let expected = ofRun;
    for (let point = 1; point <= points; point++) expected *= point / (point + raised);
    if (expected <= OUTSIDE) return raised;
  }
}

/**
 * What pairs of runs say of each kind. A spread is widened by the largest excess and its margin; and at least by the distance that half of the points of
 * two runs have, as where no excess was seen there may be one the next time.
 *
 * @param {readonly Pair[]} pairs @returns {Between[]}
 */
export function between(pairs) {
  const names = [...new Set(pairs.flatMap(({ kinds }) => kinds.map(({ kind }) => kind)))];
  return names.map((kind) => {
    const all = pairs.flatMap(({ kinds }) => kinds.filter((one) => one.kind === kind));
    const distances = all.flatMap((one) => one.distances).sort((a, b) => a - b);
    const excesses = all.flatMap((one) => one.beyond);
    const [points, excess] = [distances.length, Math.max(0, ...excesses)];
    const typical = summary(distances).median;
    const raised = margin(points, points / all.length);
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
      margin: raised,
      factor: ratio(Math.max(typical, raised * excess)),
    };
  });
}

/** @param {string} [file] @returns {Pair[]} none where nothing was learned yet */
export const learnedPairs = (file = LEARNED) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).pairs : []);

/** The file of learned pairs: what they say, and they themselves; numbers of a list in one line. @param {readonly Pair[]} pairs */
export const learnedText = (pairs) =>
  `${JSON.stringify({ kinds: between(pairs), pairs }, null, 1).replace(/\[[\s\d.,e-]+\]/g, (list) => list.replace(/\s+/g, ' '))}\n`;

/**
 * The pairs that a run may state its spread by: of its machine, or, where there are none, of its processor with another number of cores. Not the ones that it
 * is part of, or it would be held against itself.
 *
 * @param {Run} run @param {readonly Pair[]} pairs
 */
export function pairsFor(run, pairs) {
  const others = pairs.filter(({ runs }) => runs.every(({ id }) => id !== runId(run)));
  const alike = (/** @type {readonly string[]} */ fields) =>
    others.filter(({ machine }) => fields.every((field) => machine[field] === run.about?.[field]));
  const own = alike(MACHINE);
  return own.length > 0 ? own : alike(MACHINE.filter((field) => field !== 'cores'));
}

/**
 * A run with the spread that it states: that of its blocks, widened by what two runs of the kind differ beyond that. `between` of a record names its kind, and the
 * factor, where there is one. All that tells of spreads reads runs through this.
 *
 * @param {Run} run @param {readonly Pair[]} pairs @returns {Run}
 */
export function stating(run, pairs) {
  const factors = new Map(between(pairsFor(run, pairs)).map(({ kind, factor }) => [kind, factor]));
  const kindOf = kindsIn(run.records);
  const measured = new Set(named(run.records).values());
  const records = run.records.map((record) => {
    if (!measured.has(record)) return record;
    const kind = kindOf(record);
    const factor = factors.get(kind);
    if (factor === undefined || !(measuredOf(record) > 0)) return { ...record, between: { kind } };
    const alone = rangeAlone(record);
    const range = { min: alone.min / factor, max: alone.max * factor };
    // min and max of a point are its least and its largest sample.
    return { ...record, ...(record.kind === 'point' ? { expected: range } : range), between: { kind, factor } };
  });
  return { ...run, records };
}
