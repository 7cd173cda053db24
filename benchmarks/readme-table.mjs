// npm run bench:readme [-- --check]: writes the table of a results file between the markers in README.md, or checks that it stands there.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { machineLine } from './lib/machine.mjs';
import { short } from './lib/report.mjs';

const RESULTS = 'benchmarks/results/macro.jsonl';
const [START, END] = ['<!-- bench:start -->', '<!-- bench:end -->'];

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const goalNumber = (/** @type {any} */ { goal }) => Number(goal.slice(1));

/** @param {any[]} records */
function table(records) {
  const about = records.find(({ kind }) => kind === 'machine');
  const rows = records.filter(
    ({ kind, target, brief }) => kind === 'comparison' && (target !== undefined || brief === true),
  );
  return [
    '| goal | what | Brezel | rival | ratio | target | |',
    '|---|---|--:|--:|--:|--:|---|',
    ...rows.toSorted((a, b) => goalNumber(a) - goalNumber(b)).map(row),
    '',
    `\`npm run bench -- --out ${RESULTS} && npm run bench:readme\` wrote this table. Rival: ${about.rival}, its graph in brackets, one thread. Ratio: above 1, Brezel is`,
    'better; times are medians of interleaved blocks in one process, memory is the growth of resident memory in fresh processes.',
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

/** @param {string} readme @param {string} part */
function replaced(readme, part) {
  const [from, to] = [readme.indexOf(START), readme.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`README.md has no lines ${START} and ${END}`);
  return `${readme.slice(0, from + START.length)}\n${part}\n${readme.slice(to)}`;
}

const records = readFileSync(path(RESULTS), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
if (records.some(({ quick }) => quick)) throw new Error(`${RESULTS} is of a smoke run`);
const readme = readFileSync(path('README.md'), 'utf8');
const wanted = replaced(readme, table(records));
if (!process.argv.includes('--check')) {
  writeFileSync(path('README.md'), wanted);
} else if (readme !== wanted) {
  console.error(`README.md does not show ${RESULTS}: npm run bench:readme`);
  process.exit(1);
}
