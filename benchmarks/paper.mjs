// npm run bench:paper [-- name[:part] ...] [--scale S] [--out FILE] [--resume] [--minutes N] [--prepare] [--dry-run]: the experiments of the paper, each
// part in a process of its own, the most wanted first. `--resume` goes on with an interrupted run of the same build.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildVersion } from './lib/build-version.mjs';
import { machine, machineLine } from './lib/machine.mjs';
import { finished, PREPARE_MINUTES, planned, unitName, units, unitsOf, whole } from './lib/paper-plan.mjs';
import { runUnit } from './lib/run-unit.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    out: { type: 'string' },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    prepare: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** @param {string} why */
function refuse(why) {
  console.error(why);
  process.exit(2);
}

const scale = Number(values.scale);
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const unknown = positionals.filter((name) => unitsOf(name).length === 0);
const names = units.map(unitName).join(', ');
if (values.help) {
  console.log(
    `usage: npm run bench:paper -- [name[:part] ...] [--scale S] [--out FILE] [--resume] [--minutes N] [--prepare] [--dry-run]\nnames: ${names}`,
  );
  process.exit(0);
}
if (!(scale > 0 && scale <= 1)) refuse(`--scale is a number above 0 and at most 1, not ${values.scale}`);
if (minutes !== undefined && !(minutes > 0)) refuse(`--minutes is a number above 0, not ${values.minutes}`);
if (unknown.length > 0) refuse(`no experiment is called ${unknown.join(', ')}\nnames: ${names}`);

const isQuick = scale < 1;
const out = resolve(values.out ?? resolve(here, 'results', `paper-${isQuick ? 'quick' : 'latest'}.jsonl`));
const about = { kind: 'machine', quick: isQuick, scale, ...machine(), build: buildVersion() };
const records = values.resume && existsSync(out) ? interrupted() : [];
const { now, later } = planned(positionals, { done: finished(records), minutes });
printPlan();
if (!values['dry-run'] && prepare() && !values.prepare) process.exitCode = runAll();

/** The records of the run that goes on. */
function interrupted() {
  const lines = readFileSync(out, 'utf8').trim().split('\n');
  const [first, ...others] = lines.map((line) => JSON.parse(line));
  for (const field of /** @type {const} */ (['build', 'cpu', 'scale']))
    if (first?.[field] !== about[field])
      refuse(`${out} is a run with another ${field} (${first?.[field]}, now ${about[field]}): --out for a new one`);
  return whole([first, ...others]);
}

function printPlan() {
  console.log(machineLine(about));
  if (isQuick) console.log('a smoke run: small models, few rounds; the numbers mean nothing');
  const told = isQuick ? () => '' : (/** @type {number} */ most) => `${String(most).padStart(4)} min  `;
  console.log(`${told(PREPARE_MINUTES)}models and fleet files, less where they are there already`);
  for (const unit of now) console.log(`${told(unit.minutes)}${unitName(unit)}`);
  if (!isQuick) console.log(`${told(PREPARE_MINUTES + now.reduce((sum, unit) => sum + unit.minutes, 0))}together`);
  const done = finished(records);
  if (done.length > 0) console.log(`done before: ${done.map(unitName).join(', ')}`);
  if (later.length > 0) console.log(`not in ${minutes} minutes: ${later.map(unitName).join(', ')}`);
}

/** Files first, so that no experiment waits for them and nothing is timed beside their making. */
function prepare() {
  const { status } = spawnSync(process.execPath, [resolve(here, 'lib/prepare.mjs'), ...now.map(unitName)], {
    stdio: 'inherit',
    env: environment(undefined),
  });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

/** @param {string | undefined} part */
function environment(part) {
  const own = { BENCH_SCALE: values.scale, BENCH_QUICK: isQuick ? '1' : '0' };
  return { ...process.env, ...own, ...(part !== undefined && { BENCH_PART: part }) };
}

function runAll() {
  mkdirSync(dirname(out), { recursive: true });
  const first = records.length > 0 ? records : [about];
  writeFileSync(out, first.map((record) => `${JSON.stringify(record)}\n`).join(''));
  let failed = 0;
  for (const [at, unit] of now.entries()) {
    const left = now.slice(at).reduce((sum, one) => sum + one.minutes, 0);
    console.log(`\n${unitName(unit)} (${at + 1} of ${now.length}${isQuick ? '' : `, all done at ${clock(left)}`})`);
    const start = performance.now();
    const path = resolve(here, `paper/${unit.name}.mjs`);
    const status = runUnit(path, { out, processes: isQuick ? 1 : unit.processes, env: environment(unit.part) });
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(`  ${status === 0 ? 'done' : `FAILED (${status})`} in ${seconds} s`);
    if (status !== 0) failed++;
    else appendFileSync(out, `${JSON.stringify({ kind: 'done', bench: unit.name, of: unit.part, scale, seconds })}\n`);
  }
  console.log(`\nrecords: ${out}`);
  if (failed > 0) console.log(`${failed} failed: the same again with --resume runs what is missing`);
  return failed === 0 ? 0 : 1;
}

/** A time of day, some minutes from now. @param {number} minutes */
function clock(minutes) {
  return new Date(Date.now() + minutes * 60_000).toTimeString().slice(0, 5);
}
