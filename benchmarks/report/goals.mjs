// The goals of the project, the record that measures each part of a goal, and whether the part is
// met. As a command, writes results/goals.json from records. With --check, compares the file with
// the records. Without files, it reads all committed results in order of date.
//
// npm run bench:goals [-- FILE ...] [--check]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { unitsOf } from '../harness/plan.mjs';
import { learnedPairs, withRanges } from './between-runs.mjs';

/**
 * A line of a results file.
 *
 * @typedef {Record<string, any>} BenchRecord
 */
/**
 * @typedef {{ about: BenchRecord, records: BenchRecord[] }} Run
 *   A results file: `about` describes its machine, and `records` has the other records.
 */
/**
 * @typedef {object} Goal
 * @property {string} goal
 * @property {string} part
 * @property {string} target printed: a bound and a unit
 * @property {'≥' | '≤'} bound
 * @property {number} limit
 * @property {string} unit
 * @property {string | undefined} bench experiment that measures it; undefined if no experiment
 * exists
 * @property {(record: BenchRecord) => boolean} select selects the record with the value
 * @property {[goal: string, part: string]} limitOf the part whose record explains why this part is
 * missed
 * @property {(record: BenchRecord, records: readonly BenchRecord[]) => number | undefined} read
 * returns the value in the unit of the target; `records` are from the same run
 */
/**
 * @typedef {{ goal: string, part: string, target: string, measured: number | null, unit: string,
 * met: boolean | null, command: string, note: string }} GoalRow
 *   A line of goals.json. `measured` and `met` are null if no run measured the part.
 */

/**
 * Returns the ratio of a comparison, or the value of a goal.
 *
 * @param {BenchRecord} record
 */
const value = (record) => (record.kind === 'comparison' ? record.ratio : record.measured);

/**
 * Creates a `Goal`. The text `target`, for example '≥ 3x', gives the bound, the limit and the unit.
 *
 * @type {(goal: string, part: string, target: string, bench: string | undefined, select:
 * Goal['select'], more?: Partial<Pick<Goal, 'read' | 'limitOf'>>) => Goal}
 */
function row(goal, part, target, bench, select, { read = value, limitOf } = {}) {
  const [, bound, limit, unit] = /** @type {RegExpExecArray} */ (/^([≥≤]) ([\d.]+) ?(.+)$/.exec(target));
  const numbers = { bound: /** @type {'≥'} */ (bound), limit: Number(limit), unit };
  return { goal, part, target, ...numbers, bench, select, read, limitOf: limitOf ?? [goal, part] };
}

/**
 * Returns a function that selects a comparison of a goal whose text contains all of `parts`.
 *
 * @type {(goal: string, ...parts: string[]) => Goal['select']}
 */
const compared =
  (goal, ...parts) =>
  (record) =>
    record.kind === 'comparison' &&
    record.goal === goal &&
    parts.every((part) => `${record.what}, ${record.rival}`.includes(part));

/**
 * Returns a function that selects the record with this goal and part.
 *
 * @type {(goal: string, part: string) => Goal['select']}
 */
const named = (goal, part) => (record) => record.goal === goal && record.part === part;

const never = () => false;

/**
 * Selects the comparisons with Yggdrasil. Older records name them `forests`; newer records name the
 * goal G22.
 *
 * @type {(...parts: string[]) => Goal['select']}
 */
const yggdrasil =
  (...parts) =>
  (record) =>
    compared('G22', ...parts)(record) || compared('forests', ...parts)(record);

/**
 * Selects a comparison with XGBoost.
 *
 * @param {string} what
 * @returns {Goal['select']}
 */
const xgboost = (what) => compared('G22', `forest ${what}, native`, 'XGBoost');

/**
 * Returns how much longer the start takes than the start of an empty Node process. Runs before goal
 * G24 recorded both times, but not their difference.
 *
 * @type {Goal['read']}
 */
function aboveEmpty(record, records) {
  if (record.kind === 'goal') return record.measured;
  const empty = records.find(({ series, x }) => series === 'empty node' && x === record.x);
  return empty && record.median - empty.median;
}

const SA_1M = 'SA single, 1M dictionary, texts of 100 words, answer object';
const COLD = 'file read ahead, SA 1M';
const JS_1M = '1M dictionary, texts of 100 words';
const LOAD = 'load from ONNX, SA 100k dictionary';
const ROW_CPU = 'a row over HTTP, CPU / (bare route + predictSync)';
const ROW_P99 = 'a row over HTTP, p99 at half of capacity / bare route';

/** @type {readonly Goal[]} */
export const goals = [
  row('G1', 'SA single, 1M, natural', '≥ 150x', 'sa-single', compared('G1', SA_1M)),
  row('G2', 'SA single, 1M, expert', '≥ 20x', 'sa-single', compared('G2', SA_1M)),
  row('G3', 'SA batch of 1000, expert', '≥ 20x', 'fig12-throughput', named('G3', 'batch expert')),
  row('G3', 'SA batch of 100, natural', '≥ 300x', 'fig12-throughput', named('G3', 'batch natural'), {
    limitOf: ['G3', 'SA batch, natural (its batch: 100)'],
  }),
  row('G4', 'forest 100x6 single', '≥ 15x', 'forest', compared('G4', 'single, avx512')),
  row('G4', 'forest 100x6 batch, AVX-512', '≥ 12x', 'forest', compared('G4', 'batch of 1000, avx512')),
  row('G4', 'forest 100x6 batch, AVX2', '≥ 6x', 'forest', compared('G4', 'batch of 1000, avx2')),
  row('G5', 'forest 500x8 single', '≥ 10x', 'forest', compared('G5', 'single, avx512')),
  row('G5', 'forest 500x8 batch', '≥ 9x', 'forest', compared('G5', 'batch of 1000, avx512')),
  row('G6', 'AC single, natural', '≥ 6x', 'fig9-latency', named('G6', 'fleet ac natural hot')),
  row('G6', 'AC batch of 1000, natural', '≥ 5x', 'fig12-throughput', named('G6', 'batch natural')),
  row('G7', 'p99 of SA single, natural', '≥ 10x', 'sa-single', compared('G7', `p99 of ${SA_1M}`, 'natural graph')),
  row('G7', 'own p99 / p50, SA', '≤ 2 times', 'fig9-latency', named('G7', 'sa own')),
  row('G7', 'own p99 / p50, AC', '≤ 2 times', 'fig9-latency', named('G7', 'ac own')),
  row('G8', 'memory of 250 SA, natural', '≥ 70x', 'fig8-memory', named('G8', 'sa natural')),
  row('G8', 'memory of 250 SA, expert', '≥ 45x', 'fig8-memory', named('G8', 'sa expert')),
  row('G8', 'memory of 250 AC, natural', '≥ 25x', 'fig8-memory', named('G8', 'ac natural')),
  row('G8', 'a further plan beyond its parameters', '≤ 16 KiB', 'fleet-file', named('G8', 'marginal')),
  row(
    'G9',
    'load a compiled model, SA 1M, natural',
    '≥ 1000x',
    'fleet-file',
    compared('G9', 'load a further model of it, SA 1M', 'natural'),
  ),
  row('G9', 'load 250 SA', '≤ 20 ms', 'fig8-memory', named('G9', 'sa fleet')),
  row('G9', 'register 1000 plans by name', '≤ 20 ms', 'fleet-file', named('G9', 'by name')),
  row('G10', 'cold first prediction, SA 1M, natural', '≥ 100x', 'fleet-file', compared('G10', COLD, 'natural')),
  row('G10', 'cold first prediction, SA 1M, expert', '≥ 6x', 'fleet-file', compared('G10', COLD, 'expert')),
  row('G10', 'cold first prediction, prefaulted', '≤ 25 µs', 'fleet-file', compared('G10', COLD, 'expert'), {
    read: ({ ours }) => ours * 1000,
  }),
  row('G11', 'process start to first answer, SA 1M, expert', '≥ 7x', 'start', named('G11', 'sa expert')),
  row('G11', 'part of the start after Node.js has started, SA 1M', '≤ 5 ms', 'start', named('G11', 'sa inside'), {
    limitOf: ['G11', 'of it inside the process'],
  }),
  row('G12', 'longest stall of a batch of SA', '≤ 1 ms', 'stall', named('G12', 'sa')),
  row('G12', 'longest stall of a batch of AC', '≤ 1 ms', 'stall', named('G12', 'ac')),
  row('G13', 'JavaScript, SA 1M, expert', '≥ 6x', 'js-fallback', compared('G13', JS_1M, 'expert')),
  row('G13', 'JavaScript, SA 1M, code with Maps', '≥ 6x', 'js-fallback', compared('G13', JS_1M, 'Map code')),
  row('G13', 'JavaScript, forest 100x6 single', '≥ 2.5x', 'forest', compared('G13', 'forest 100x6 single')),
  row('G14', 'a stage event, native', '≤ 150 ns', 'events', named('G14', 'stage event')),
  row('G14', 'submit and promise, JavaScript', '≤ 1.5 µs', 'events', named('G14', 'submit')),
  row('G14', 'a row in bulk', '≤ 200 ns', 'events', named('G14', 'bulk row')),
  row(
    'G15',
    '4 processes beyond Node.js, sum of PSS / RSS of one, SA',
    '≤ 1.05 times',
    'fig8-memory',
    named('G15', 'sa beyond Node.js'),
  ),
  row(
    'G15',
    '4 processes beyond Node.js, sum of PSS / RSS of one, AC',
    '≤ 1.05 times',
    'fig8-memory',
    named('G15', 'ac beyond Node.js'),
  ),
  row('G16', '2 executors / 1, SA', '≥ 1.9 times', 'fig12-throughput', named('G16', 'sa')),
  row('G16', '2 executors / 1, AC', '≥ 1.9 times', 'fig12-throughput', named('G16', 'ac')),
  row('G17', 'p99 of a reserved plan, under load / idle', '≤ 1.2 times', 'fig13-heavy', ({ goal }) => goal === 'G17'),
  row('G18', 'SA fleet, the same text over many plans', '≥ 2x', 'fig10-materialization', named('G18', 'same text')),
  row('G20', '250 SA in turns, hot median, expert', '≥ 4x', 'fig9-latency', named('G2', 'fleet sa expert hot')),
  row('G20', '250 SA in turns, hot p99, expert', '≥ 3x', 'fig9-latency', named('G7', 'fleet sa expert')),
  row(
    'G20',
    '250 SA in turns, cold first prediction, expert',
    '≥ 5x',
    'fig9-latency',
    named('G10', 'fleet sa expert cold'),
  ),
  row(
    'G21',
    'import, plan, register: first SA 100k, natural',
    '≥ 1x',
    'load',
    compared('G9', `${LOAD}: first model`, 'natural'),
  ),
  row(
    'G21',
    'import, plan, register: first SA 100k, expert',
    '≥ 1x',
    'load',
    compared('G9', `${LOAD}: first model`, 'expert'),
  ),
  row(
    'G21',
    'import, plan, register: further SA 100k, natural',
    '≥ 5x',
    'load',
    compared('G9', `${LOAD}: each further model`, 'natural'),
  ),
  row(
    'G21',
    'import, plan, register: further SA 100k, expert',
    '≥ 5x',
    'load',
    compared('G9', `${LOAD}: each further model`, 'expert'),
  ),
  row('G22', 'forest 100x6 single, XGBoost', '≥ 20x', 'xgboost', xgboost('100x6 single')),
  row('G22', 'forest 100x6 batch of 1000, XGBoost', '≥ 4x', 'xgboost', xgboost('100x6 batch of 1000')),
  row('G22', 'forest 500x8 single, XGBoost', '≥ 20x', 'xgboost', xgboost('500x8 single')),
  row('G22', 'forest 500x8 batch of 1000, XGBoost', '≥ 4x', 'xgboost', xgboost('500x8 batch of 1000')),
  row('G22', 'forest of 300 trees single, Yggdrasil', '≥ 20x', 'yggdrasil', yggdrasil('one row, native')),
  row('G22', 'forest of 300 trees batch of 1000, Yggdrasil', '≥ 4x', 'yggdrasil', yggdrasil('1000 rows, native')),
  row('G23', 'without the addon, SA 1M, expert', '≥ 6x', 'js-fallback', compared('G13', JS_1M, 'expert'), {
    limitOf: ['G13', 'JavaScript, SA 1M, expert'],
  }),
  row('G23', 'without the addon, SA 1M, code with Maps', '≥ 10x', 'js-fallback', compared('G13', JS_1M, 'Map code'), {
    limitOf: ['G13', 'JavaScript, SA 1M, expert'],
  }),
  row('G23', 'headless Chromium, onnxruntime-web', '≥ 3x', undefined, never),
  row(
    'G24',
    'start to first answer, without the start of Node.js, SA 1M',
    '≤ 40 ms',
    'start',
    (record) =>
      named('G24', 'sa above empty')(record) ||
      (record.kind === 'point' && record.series === 'brezel' && record.x === 'SA whole process'),
    { read: aboveEmpty, limitOf: ['G11', 'of it inside the process'] },
  ),
  row('G25', `${ROW_CPU}, AC`, '≤ 1.15 times', 'server', named('G25', 'row ac')),
  row('G25', `${ROW_CPU}, SA`, '≤ 1.15 times', 'server', named('G25', 'row sa')),
  row('G25', `${ROW_P99}, AC`, '≤ 1.5 times', 'server', named('G25', 'p99 ac')),
  row('G25', `${ROW_P99}, SA`, '≤ 1.5 times', 'server', named('G25', 'p99 sa')),
  row('G25', 'batch of 1000 AC rows over HTTP, JSON', '≥ 3x', 'server', named('G25', 'batch')),
  row('G25', 'batch of 1000 AC rows over HTTP, binary tensors', '≥ 8x', 'server', named('G25', 'tensors')),
  row('G25', 'requests per second of --processes 2 / one process', '≥ 1.8 times', 'server', named('G25', 'processes')),
];

/**
 * The note of a missed part of a goal if its run recorded reasons for other parts of the goal only.
 * This note indicates an error in the experiment.
 */
export const SILENT = 'not recorded';
/** The note of a missed goal if its run recorded no reasons for any part of the goal. */
export const UNKNOWN = 'no reason in this run';

/**
 * Returns a row for every part of every goal. If several records match, the last one is used. Smoke
 * runs are ignored.
 *
 * @param {readonly Run[]} runs by date
 * @returns {GoalRow[]}
 */
export function goalRows(runs) {
  const whole = runs.filter(({ about }) => !about.quick && (about.scale ?? 1) === 1);
  return goals.map((goal) => {
    const found = whole.flatMap((run) =>
      run.records.filter((record) => measures(goal, record)).map((record) => ({ ...run, record })),
    );
    const last = found.at(-1);
    return last === undefined ? unmeasured(goal, whole, runs) : measured(goal, last);
  });
}

/**
 * @param {Goal} goal
 * @param {BenchRecord} record
 */
const measures = (goal, record) => record.bench === goal.bench && record.kind !== 'binds' && goal.select(record);

/**
 * Returns the text in which a run recorded the likely reasons for missing a goal (`binds`).
 *
 * @param {Goal} goal
 * @param {readonly BenchRecord[]} records
 */
const limitIn = ({ bench, limitOf: [goal, part] }, records) =>
  records.findLast((one) => one.kind === 'binds' && one.bench === bench && one.goal === goal && one.part === part)
    ?.text;

/**
 * Returns the row of a goal that a run has measured.
 *
 * @param {Goal} goal
 * @param {Run & { record: BenchRecord }} found
 * @returns {GoalRow}
 */
function measured(goal, { about, records, record }) {
  const read = goal.read(record, records);
  const isNumber = typeof read === 'number' && Number.isFinite(read);
  const isMet = isNumber && (goal.bound === '≥' ? read >= goal.limit : read <= goal.limit);
  const why =
    limitIn(goal, records) ??
    (records.some(({ kind, goal: of }) => kind === 'binds' && of === goal.goal) ? SILENT : UNKNOWN);
  const parts = [
    record.kind === 'comparison' ? versus(record) : record.note,
    record.low === undefined ? undefined : `middle half ${short(record.low)}-${short(record.high)}`,
    Number.isFinite(record.min) && goal.read === value
      ? `expected in another run ${short(record.min)}-${short(record.max)}`
      : undefined,
    isNumber && !isMet ? `limit: ${why}` : undefined,
    `${about.cpu}, ${about.cores} cores, kernels ${about.isa}, commit ${about.commit}, ${about.date}`,
  ];
  return {
    ...frame(goal),
    measured: isNumber ? Number(read.toPrecision(4)) : null,
    met: isNumber ? isMet : null,
    note: parts.filter(Boolean).join('; '),
  };
}

/** @param {BenchRecord} record */
const versus = ({ what, ours, theirs, unit }) => `${what}: ${short(ours)} against ${short(theirs)} ${unit}`;

/**
 * Returns the row of a goal that has no measured value, with the reason.
 *
 * @param {Goal} goal
 * @param {readonly Run[]} whole
 * @param {readonly Run[]} runs
 * @returns {GoalRow}
 */
function unmeasured(goal, whole, runs) {
  const missing = whole
    .flatMap(({ records }) => records)
    .findLast(
      ({ kind, bench, what }) => kind === 'missing' && bench === goal.bench && String(what).includes(goal.goal),
    );
  const isSmoke = runs.some(({ records }) => records.some((record) => measures(goal, record)));
  const why =
    missing?.why ??
    (goal.bench === undefined
      ? 'no experiment exists yet'
      : isSmoke
        ? 'only a smoke run, which does not count'
        : 'no record');
  return { ...frame(goal), measured: null, met: null, note: `not measured: ${why}` };
}

/** @param {string | undefined} bench */
const commandOf = (bench) => {
  if (bench === undefined) return '';
  return `npm run ${unitsOf(bench)[0]?.suite === 'paper' ? 'bench:paper' : 'bench'} -- ${bench}`;
};

/** @param {Goal} goal */
const frame = ({ goal, part, target, unit, bench }) => ({ goal, part, target, unit, command: commandOf(bench) });

/** @param {number} number */
const short = (number) => String(Number(number.toPrecision(3)));

/**
 * Parses a results file.
 *
 * @param {string} text JSON lines, the machine first
 * @returns {Run}
 */
export function parseRun(text) {
  const [about, ...records] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (about?.kind !== 'machine')
    throw new Error(`results file: expected a record of kind machine first, received ${about?.kind}`);
  return { about, records };
}

/**
 * Matches the files of local runs, smoke runs and second runs. The command reads these files only
 * if you name them as arguments.
 */
const PRIVATE = /^(paper-)?(latest|quick|again)\.jsonl$/;

if (process.argv[1] === fileURLToPath(import.meta.url)) writeGoals();

/**
 * Runs the command: writes or checks the file of goals, and reports missed goals without a reason.
 */
function writeGoals() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false } },
  });
  const results = fileURLToPath(new URL('../results', import.meta.url));
  const out = join(results, 'goals.json');
  const committed = readdirSync(results).filter((name) => name.endsWith('.jsonl') && !PRIVATE.test(name));
  const files = positionals.length > 0 ? positionals : committed.map((name) => join(results, name));
  const pairs = learnedPairs();
  const runs = files
    .map((file) => withRanges(parseRun(readFileSync(file, 'utf8')), pairs))
    .toSorted((one, other) => String(one.about.date).localeCompare(String(other.about.date)));
  const rows = goalRows(runs);
  const text = `${JSON.stringify(rows, null, 2)}\n`;
  if (!values.check) {
    writeFileSync(out, text);
    printRows(rows, out);
  } else if (readFileSync(out, 'utf8') !== text) {
    console.error('benchmarks/results/goals.json does not match the committed results; run npm run bench:goals');
    process.exit(1);
  }
  const silent = rows.filter(({ note }) => note.includes(`limit: ${SILENT};`));
  if (silent.length === 0) return;
  const names = silent.map(({ goal, part }) => `${goal} ${part}`);
  console.error(`not met, and no record of kind binds says what limits it: ${names.join('; ')}`);
  process.exitCode = 1;
}

/**
 * Prints the verdict of each part of a goal.
 *
 * @param {readonly GoalRow[]} rows
 * @param {string} out
 */
function printRows(rows, out) {
  for (const { goal, part, target, measured, unit, met } of rows) {
    const verdict = met === null ? 'not measured' : met ? 'met' : 'not met';
    console.log(`${goal.padEnd(4)} ${verdict.padEnd(12)} ${part}: ${measured ?? '-'} ${unit} (${target})`);
  }
  const count = (/** @type {boolean | null} */ met) => rows.filter((row) => row.met === met).length;
  console.log(`${count(true)} met, ${count(false)} not met, ${count(null)} not measured: ${out}`);
}
