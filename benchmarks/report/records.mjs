import { readFileSync } from 'node:fs';
import { withRanges } from './between-runs.mjs';

// Reads records of results files and groups them for a report. A file may contain only some
// experiments.

/**
 * @typedef {{ figure: string, series: string, x: string | number, xUnit?: string, unit: string,
 * median: number, p99?: number, min?: number, max?: number }} Point
 */
/**
 * @typedef {{ goal: string, part?: string, figure?: string, what: string, rival: string, unit:
 * string, ours: number, theirs: number, ratio: number, low?: number, high?: number, min?: number,
 * max?: number, target?: number, brief?: boolean }} Comparison
 */
/**
 * @typedef {{ goal: string, part?: string, target: string, measured: number | string | null, unit:
 * string, met: boolean | null, command: string, note?: string }} Goal
 */
/** @typedef {{ what: string, ours: string, theirs: string }} Fact */
/** @typedef {Record<string, any>} Machine */
/** @typedef {{ bench: string, text: string }} Note */
/**
 * @typedef {{ machines: Machine[], points: Point[], comparisons: Comparison[], facts: Fact[],
 * notes: Note[], missing: { bench: string, what: string, why: string }[], goals: Goal[] |
 * undefined, again?: import('./second-run.mjs').SecondRun }} Records
 */

/**
 * @param {string[]} files JSON lines
 * @param {Goal[] | undefined} goals
 * @param {readonly import('./between-runs.mjs').Pair[]} pairs that widen ranges
 * @returns {Records}
 */
export function readRecords(files, goals, pairs) {
  const all = files.flatMap((file) => withRangesOf(recordsOf(file), pairs));
  const ofKind = (/** @type {string} */ kind) => /** @type {any[]} */ (all.filter((record) => record.kind === kind));
  return {
    machines: ofKind('machine'),
    points: ofKind('point').filter(({ median }) => Number.isFinite(median)),
    comparisons: ofKind('comparison')
      .filter(({ ratio }) => Number.isFinite(ratio) && ratio > 0)
      .map(({ min, max, ...one }) => (Number.isFinite(min) && Number.isFinite(max) ? { ...one, min, max } : one)),
    facts: ofKind('fact'),
    notes: ofKind('note'),
    missing: ofKind('missing'),
    goals,
  };
}

/** @param {string} file */
const recordsOf = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => parse(line, `${file}:${index + 1}`));

/**
 * Widens the ranges of a file whose first record is its machine.
 *
 * @param {any[]} records
 * @param {readonly import('./between-runs.mjs').Pair[]} pairs
 */
function withRangesOf([about, ...records], pairs) {
  if (about?.kind !== 'machine') return about === undefined ? [] : [about, ...records];
  return [about, ...withRanges({ about, records }, pairs).records];
}

/** @param {string} line @param {string} where */
function parse(line, where) {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${where}: expected a JSON record, received ${line.slice(0, 40)}`, { cause });
  }
}

/**
 * Groups items by key.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {(one: T) => string} key
 * @returns {Map<string, T[]>} in order of first occurrence
 */
export function groupBy(list, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

/** Returns the name of a part of a goal. @param {Goal} goal */
export const goalName = ({ goal, part }) => (part === undefined || part === '' ? goal : `${goal} ${part}`);

/**
 * Returns the section of a figure: `fig9` for `fig9-ablations`. @param {string | undefined} figure
 */
export const sectionOf = (figure) => figure?.split('-')[0] ?? '';
