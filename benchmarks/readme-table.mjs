// npm run bench:readme [-- --check]: writes tables of a results file between the markers in README.md (what the goals speak of) and in
// docs/benchmarks.md (all that is worth a line), or checks that they stand there.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { goals } from './lib/goal-list.mjs';
import { machineLine } from './lib/machine.mjs';
import { short } from './lib/report.mjs';

const RESULTS = 'benchmarks/results/macro.jsonl';
const [START, END] = ['<!-- bench:start -->', '<!-- bench:end -->'];

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const goalNumber = (/** @type {any} */ { goal }) => Number(goal.slice(1));

const isTold = (/** @type {any} */ { kind, target, brief }) =>
  kind === 'comparison' && (target !== undefined || brief === true);
const isOfGoal = (/** @type {any} */ record) =>
  goals.some(({ bench, select }) => bench === record.bench && select(record));

/** @param {any[]} records @param {any} about machine */
function table(records, about) {
  return [
    '| goal | what | Brezel | rival | ratio | target | |',
    '|---|---|--:|--:|--:|--:|---|',
    ...records.toSorted((a, b) => goalNumber(a) - goalNumber(b)).map(row),
    '',
    `\`npm run bench -- --out ${RESULTS} && npm run bench:readme\` wrote this table. Rival: ${about.rival}, its graph in brackets, one thread. Ratio: above 1, Brezel is`,
    'better; times are medians of blocks in turns, memory is the growth of resident memory in fresh processes.',
    `Machine: ${machineLine(about)}.`,
  ].join('\n');
}

/** @param {any} record */
function row({ goal, what, rival, unit, ours, theirs, ratio, low, high, target }) {
  const range = low === undefined ? '' : ` (${short(low)}-${short(high)})`;
  const verdict = target === undefined ? '' : ratio >= target ? 'met' : 'not met';
  const aim = target === undefined ? '' : `≥ ${target}x`;
  return `| ${goal} | ${what} | ${short(ours)} ${unit} | ${short(theirs)} ${unit} (${rival}) | ${short(ratio)}x${range} | ${aim} | ${verdict} |`;
}

/** @param {string} page @param {string} part @param {string} name */
function replaced(page, part, name) {
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${name} has no lines ${START} and ${END}`);
  return `${page.slice(0, from + START.length)}\n${part}\n${page.slice(to)}`;
}

const records = readFileSync(path(RESULTS), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
if (records.some(({ quick }) => quick)) throw new Error(`${RESULTS} is of a smoke run`);
const about = records.find(({ kind }) => kind === 'machine');
const told = records.filter(isTold);
for (const [name, rows] of Object.entries({ 'README.md': told.filter(isOfGoal), 'docs/benchmarks.md': told })) {
  const page = readFileSync(path(name), 'utf8');
  const wanted = replaced(page, table(rows, about), name);
  if (page === wanted) continue;
  if (process.argv.includes('--check')) {
    console.error(`${name} does not show ${RESULTS}: npm run bench:readme`);
    process.exitCode = 1;
  } else {
    writeFileSync(path(name), wanted);
  }
}
