import { readFileSync } from 'node:fs';
import { stating } from '../lib/between.mjs';

// Records as lib/report.mjs writes them, sorted into what a page shows. A file may hold a part of the experiments, or an older form of them.

/** @typedef {{ figure: string, series: string, x: string | number, xUnit?: string, unit: string, median: number, p99?: number, min?: number, max?: number }} Point */
/** @typedef {{ goal: string, part?: string, figure?: string, what: string, rival: string, unit: string, ours: number, theirs: number, ratio: number, low?: number, high?: number, min?: number, max?: number, target?: number }} Comparison */
/** @typedef {{ goal: string, part?: string, target: string, measured: number | string | null, unit: string, met: boolean | null, command: string, note?: string }} Goal */
/** @typedef {Record<string, any>} Machine */
/** @typedef {{ bench: string, text: string }} Note */
/** @typedef {{ machines: Machine[], points: Point[], comparisons: Comparison[], notes: Note[], missing: { bench: string, what: string, why: string }[], goals: Goal[] | undefined, again?: Again }} Records */
/** @typedef {import('../lib/second-run.mjs').SecondRun} Again a second run, held against these records */

/** @param {string[]} files JSON lines @param {Goal[] | undefined} goals @param {readonly import('../lib/between.mjs').Pair[]} pairs of runs that spreads are widened by @returns {Records} */
export function readRecords(files, goals, pairs) {
  const all = files.flatMap((file) => statedBy(recordsOf(file), pairs));
  /** @param {string} kind */
  const ofKind = (kind) => /** @type {any[]} */ (all.filter((record) => record.kind === kind));
  return {
    machines: ofKind('machine'),
    points: ofKind('point').filter(({ median }) => Number.isFinite(median)),
    comparisons: ofKind('comparison')
      .filter(({ ratio }) => Number.isFinite(ratio) && ratio > 0)
      .map(({ min, max, ...one }) => (Number.isFinite(min) && Number.isFinite(max) ? { ...one, min, max } : one)),
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
    .map((line, at) => parse(line, `${file}:${at + 1}`));

/** Records of a file that tells its machine first, with the spread that they state. @param {any[]} records @param {readonly import('../lib/between.mjs').Pair[]} pairs */
function statedBy([about, ...records], pairs) {
  if (about?.kind !== 'machine') return about === undefined ? [] : [about, ...records];
  return [about, ...stating({ about, records }, pairs).records];
}

/** @param {string} line @param {string} at */
function parse(line, at) {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${at} is no record`, { cause });
  }
}

/** @template T @param {readonly T[]} list @param {(one: T) => string} key @returns {Map<string, T[]>} in order of first occurrence */
export function groupBy(list, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

/** A goal with several parts has a row each. @param {Goal} goal */
export const goalName = ({ goal, part }) => (part === undefined || part === '' ? goal : `${goal} ${part}`);

/** `fig9-ablations` belongs to `fig9`. @param {string | undefined} figure */
export const sectionOf = (figure) => figure?.split('-')[0] ?? '';
