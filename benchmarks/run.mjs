// Runs experiments one after another, each in a separate process, and writes their records. See
// --help.
//
// npm run bench [-- name[:part] ...] [options]
// npm run bench:paper [-- ...] is the same with --suite paper
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine, machineLine } from './harness/machine.mjs';
import { finished, fleetsOf, PREPARE_MINUTES, planned, unitName, units, unitsOf, whole } from './harness/plan.mjs';
import { runUnit, trial } from './harness/processes.mjs';

const HELP = `usage: npm run bench -- [name[:part] ...] [options]

  --suite single|paper  all experiments of one suite (bench: single; bench:paper: paper)
  --quick               a smoke run: small models, few rounds; the numbers mean nothing
  --scale S             share of the paper's workload, above 0 and at most 1; below 1 is a smoke run
  --out FILE            write records to FILE
  --resume              continue an interrupted run of the same build, machine and scale
  --minutes N           run only the experiments that fit into N minutes
  --prepare             generate the model files and stop
  --dry-run             print the plan and stop

names: ${[...new Set(units.map(({ name }) => name))].join(', ')}`;

const here = fileURLToPath(new URL('.', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string', default: 'single' },
    quick: { type: 'boolean', default: false },
    scale: { type: 'string' },
    out: { type: 'string' },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    prepare: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/**
 * Prints the reason and ends the process with exit code 2.
 *
 * @param {string} why
 */
function refuse(why) {
  console.error(`bench: ${why}`);
  process.exit(2);
}

if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const suite = /** @type {'single' | 'paper'} */ (values.suite);
const scale = Number(values.scale ?? (values.quick && suite === 'paper' ? 0.01 : 1));
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const unknown = positionals.filter((name) => unitsOf(name).length === 0);
if (!['single', 'paper'].includes(suite)) refuse(`--suite: expected single or paper, received ${suite}`);
if (!(scale > 0 && scale <= 1)) refuse(`--scale: expected a number above 0 and at most 1, received ${values.scale}`);
if (minutes !== undefined && !(minutes > 0)) refuse(`--minutes: expected a number above 0, received ${values.minutes}`);
if (unknown.length > 0) refuse(`unknown experiment ${unknown.join(', ')}\n\n${HELP}`);

const isQuick = values.quick || scale < 1;
/** Whether records contain the scale. */
const hasScale = suite === 'paper' || scale < 1;
const prefix = suite === 'paper' ? 'paper-' : '';
const out = resolve(values.out ?? resolve(here, 'results', `${prefix}${isQuick ? 'quick' : 'latest'}.jsonl`));
const about = { kind: 'machine', quick: isQuick, ...(hasScale && { scale }), ...(await machine()) };
const records = values.resume && existsSync(out) ? interrupted() : [];
const { now, later } = planned(positionals, { suite, done: finished(records), minutes });
/**
 * Whether the run contains experiments on the paper's workload, whose files are generated first.
 */
const isPaper = now.some((unit) => unit.suite === 'paper');
printPlan();
if (!values['dry-run']) {
  await prepare();
  if (!values.prepare) process.exitCode = runAll();
}

/** Returns the records of the interrupted run that --resume continues. */
function interrupted() {
  const lines = readFileSync(out, 'utf8').trim().split('\n');
  const [first, ...others] = lines.map((line) => JSON.parse(line));
  for (const field of /** @type {const} */ (['build', 'cpu', 'scale']))
    if (first?.[field] !== about[field])
      refuse(`${out} has another ${field} (${first?.[field]}, now ${about[field]}); choose a new file with --out`);
  return whole([first, ...others]);
}

function printPlan() {
  console.log(machineLine(about));
  if (isQuick) console.log('a smoke run: small models, few rounds; the numbers mean nothing');
  const duration = (/** @type {number} */ time) => (isQuick ? '' : `${String(time).padStart(4)} min  `);
  if (isPaper) console.log(`${duration(PREPARE_MINUTES)}model files and fleet files (less if they are cached)`);
  for (const unit of now) console.log(`${duration(unit.minutes)}${unitName(unit)}`);
  const sum = now.reduce((all, unit) => all + unit.minutes, isPaper ? PREPARE_MINUTES : 0);
  if (!isQuick) console.log(`${duration(sum)}total`);
  const done = finished(records);
  if (done.length > 0) console.log(`finished earlier: ${done.map(unitName).join(', ')}`);
  if (later.length > 0) console.log(`beyond ${minutes} minutes: ${later.map(unitName).join(', ')}`);
}

/**
 * Generates files before the experiments, so that no experiment waits for a file or runs at the
 * same time as a generator. A separate process generates each fleet.
 */
async function prepare() {
  Object.assign(process.env, environment(undefined));
  const module = new URL('models/workload.mjs', import.meta.url).href;
  await Promise.all(fleetsOf(now).map((kind) => trial(module, 'generate', { kind })));
}

/**
 * Returns the environment variables for a process that runs an experiment, or one part of it.
 *
 * @param {string | undefined} part
 */
function environment(part) {
  const own = { BENCH_QUICK: isQuick ? '1' : '0', ...(hasScale && { BENCH_SCALE: String(scale) }) };
  return { ...process.env, ...own, ...(part !== undefined && { BENCH_PART: part }) };
}

function runAll() {
  mkdirSync(dirname(out), { recursive: true });
  const first = records.length > 0 ? records : [about];
  writeFileSync(out, first.map((record) => `${JSON.stringify(record)}\n`).join(''));
  let failed = 0;
  for (const [index, unit] of now.entries()) {
    const left = now.slice(index).reduce((sum, { minutes }) => sum + minutes, 0);
    console.log(`\n${unitName(unit)} (${index + 1} of ${now.length}${isQuick ? '' : `, all done at ${clock(left)}`})`);
    const start = performance.now();
    const processes = isQuick ? 1 : unit.processes;
    const status = runUnit(unit, { out, processes, env: environment(unit.part) });
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(`  ${status === 0 ? 'done' : `FAILED (exit code ${status})`} in ${seconds} s`);
    if (status !== 0) failed++;
    else
      appendFileSync(
        out,
        `${JSON.stringify({ kind: 'done', bench: unit.name, of: unit.part, ...(hasScale && { scale }), seconds })}\n`,
      );
  }
  console.log(`\nrecords: ${out}`);
  if (failed > 0) console.log(`${failed} failed; repeat with --resume to run the missing ones`);
  return failed === 0 ? 0 : 1;
}

/**
 * Returns the local time of day `minutes` from now.
 *
 * @param {number} minutes
 */
function clock(minutes) {
  return new Date(Date.now() + minutes * 60_000).toTimeString().slice(0, 5);
}
