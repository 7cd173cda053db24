import { existsSync } from 'node:fs';
import { goals, own } from './goal-list.mjs';

// How far each goal is, as the records of runs have it.

/** @typedef {import('./goal-list.mjs').BenchRecord} BenchRecord */
/** @typedef {import('./goal-list.mjs').Goal} Goal */
/** @typedef {{ about: BenchRecord, records: BenchRecord[] }} Run a results file: its machine line, and the others */
/** @typedef {{ goal: string, part: string, target: string, measured: number | null, unit: string, met: boolean | null, command: string, note: string }} GoalRow */

/** In the note of a goal that is not met and whose run says nothing of it, though it does of others: a fault of the experiment. */
export const SILENT = 'not said';
/** The same of a run that was taken before experiments looked into it. */
const OLD = 'the run is older than the experiments that look into it';

/**
 * A row for every part of every goal. Of several records the last one counts; smoke runs do not.
 *
 * @param {readonly Run[]} runs in the order of their dates
 * @returns {GoalRow[]}
 */
export function goalRows(runs) {
  const whole = runs.filter(({ about }) => !about.quick && (about.scale ?? 1) === 1);
  return goals.map((goal) => {
    const found = whole.flatMap(({ about, records }) =>
      records.filter((record) => isOf(goal, record)).map((record) => ({ about, records, record })),
    );
    const last = found.at(-1);
    return last === undefined ? unmeasured(goal, whole, runs) : measured(goal, last);
  });
}

/** Whether a record measures a part of a goal: what is said of why it binds measures nothing. @param {Goal} goal @param {BenchRecord} record */
const isOf = (goal, record) => record.bench === goal.bench && record.kind !== 'binds' && goal.select(record);

/** What the run says that keeps a part of a goal from its target. @param {Goal} goal @param {readonly BenchRecord[]} records of that run */
const whatBinds = ({ goal, part, bench }, records) =>
  records.findLast((one) => one.kind === 'binds' && one.bench === bench && one.goal === goal && one.part === part)
    ?.text;

/** @param {Goal} goal @param {{ about: BenchRecord, records: readonly BenchRecord[], record: BenchRecord }} found @returns {GoalRow} */
function measured(goal, { about, records, record }) {
  const value = goal.read(record);
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  const isMet = goal.bound === '≥' ? value >= goal.least : value <= goal.least;
  const range = record.low === undefined ? '' : `middle half ${short(record.low)}-${short(record.high)}; `;
  const stated = !Number.isFinite(record.min) ? '' : `spread ${short(record.min)}-${short(record.max)}; `;
  const told = record.kind === 'comparison' ? versus(record) : (record.note ?? '');
  const unsaid = records.some(({ kind }) => kind === 'binds') ? SILENT : OLD;
  const bound = isNumber && !isMet ? `what binds: ${whatBinds(goal, records) ?? unsaid}; ` : '';
  return {
    ...frame(goal),
    measured: isNumber ? Number(value.toPrecision(4)) : null,
    met: isNumber ? isMet : null,
    note: `${told}${told === '' ? '' : '; '}${range}${goal.read === own ? stated : ''}${bound}${about.cpu}, commit ${about.commit}, ${about.date}`,
  };
}

/** @param {BenchRecord} record */
const versus = ({ what, ours, theirs, unit }) => `${what}: ${short(ours)} against ${short(theirs)} ${unit}`;

/** @param {Goal} goal @param {readonly Run[]} whole @param {readonly Run[]} runs @returns {GoalRow} */
function unmeasured(goal, whole, runs) {
  const said = whole
    .flatMap(({ records }) => records)
    .findLast(
      ({ kind, bench, what }) => kind === 'missing' && bench === goal.bench && String(what).includes(goal.goal),
    );
  const isSmoke = runs.some(({ records }) => records.some((record) => isOf(goal, record)));
  const why = said?.why ?? (isSmoke ? 'only a smoke run, which does not count' : 'no record of it');
  return { ...frame(goal), measured: null, met: null, note: `not measured: ${why}` };
}

/** Experiments of the paper are started by a command of their own. @param {string} bench */
const isPaper = (bench) => existsSync(new URL(`../paper/${bench}.mjs`, import.meta.url));

/** @param {Goal} goal */
const frame = ({ goal, part, target, unit, bench }) => ({
  goal,
  part,
  target,
  unit,
  command: `npm run ${isPaper(bench) ? 'bench:paper' : 'bench'} -- ${bench}`,
});

/** @param {number} value */
const short = (value) => String(Number(value.toPrecision(3)));

/** A results file. @param {string} text JSON lines, the machine first @returns {Run} */
export function parseRun(text) {
  const [about, ...records] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (about?.kind !== 'machine') throw new Error('the first line of a results file tells the machine');
  return { about, records };
}
