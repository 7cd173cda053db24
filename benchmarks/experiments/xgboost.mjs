// Goal G22: compares forests that XGBoost trained with XGBoost's own library, on one row and on
// batches of 1000. XGBoost runs in a Python process, which measures its calls. Both engines
// alternate in short blocks.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createFlour, createRuntime, importXgboost, loadNative, openStore } from 'brezel';
import { openBrezel } from '../harness/engines.mjs';
import { timesFaster } from '../harness/loops.mjs';
import { binds, comparison, isQuick, measure, missing, say, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { folderOf, forestFile } from '../models/files.mjs';
import { FEATURES, forestRows } from '../models/forests.mjs';

const ROWS = 1000;
const ROUNDS = isQuick ? 3 : 40;
/**
 * The largest allowed difference from the predictions of XGBoost. XGBoost adds the answers of the
 * trees in the same order as Brezel, but starts its sum with the base score.
 */
const TOLERANCE = 2e-5;
const SCRIPT = new URL('xgboost_times.py', import.meta.url);
/**
 * The Python commands to try. On Debian, only `/usr/bin/python3` finds the packages of the
 * distribution.
 */
const PYTHONS = [process.env.BREZEL_BENCH_PYTHON, 'python3', '/usr/bin/python3'].filter((path) => path !== undefined);

const values = forestRows(ROWS);
const lists = Array.from({ length: ROWS }, (_, row) => values.subarray(row * FEATURES, (row + 1) * FEATURES));
const rows = lists.map((x) => ({ x }));

export const experiments = {
  async xgboost() {
    const python = PYTHONS.find(hasXgboost);
    if (python === undefined) return missing('XGBoost (G22)', 'no Python has the package xgboost');
    await race(python, isQuick ? 10 : 100, 6);
    await race(python, isQuick ? 10 : 500, 8);
  },
};

/**
 * Returns whether a Python command can import numpy and xgboost.
 *
 * @param {string} python
 */
function hasXgboost(python) {
  try {
    execFileSync(python, ['-c', 'import numpy, xgboost'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Measures a forest of XGBoost in Brezel and in XGBoost.
 *
 * @param {string} python
 * @param {number} trees
 * @param {number} depth
 */
async function race(python, trees, depth) {
  const folder = folderOf([SCRIPT]);
  mkdirSync(folder, { recursive: true });
  const model = join(folder, `xgboost-${trees}x${depth}.json`);
  const rival = await openXgboost(python, [model, FEATURES, trees, depth]);
  const store = await openStore();
  const flour = await createFlour({ store });
  const plan = importXgboost(readFileSync(model), flour, { outputs: ['prediction'] }).program.plan();
  const name = `forest ${trees}x${depth}`;
  const engines = [...(loadNative().addon?.isas() ?? [])].map((isa) => {
    const runtime = createRuntime({ store, isa, executors: 0, materialization: false });
    return { isa, runtime, plan: runtime.register(plan) };
  });
  for (const engine of engines) await compare(name, engine, rival.predictions);
  say(`${name}: XGBoost ${rival.version} = ${engines.map(({ isa }) => isa).join(' = ')} on ${ROWS} rows`);
  const single = engines.map((engine) => ({
    isa: engine.isa,
    call: (/** @type {number} */ index) => engine.runtime.predictSync(engine.plan, rows[index % ROWS]),
  }));
  const batch = engines.map((engine) => ({
    isa: engine.isa,
    call: () => engine.runtime.predictBatch(engine.plan, rows, { engine: 'batch' }),
  }));
  const times = await measured(`${name} single`, 100, single, () => rival.times(1, 100));
  await callBinds(`${name} single, XGBoost`, times, SINGLE);
  const batchTimes = await measured(`${name} batch of ${ROWS}`, 3, batch, () => rival.times(ROWS, 3));
  await callBinds(`${name} batch of ${ROWS}, XGBoost`, batchTimes, BATCH);
  for (const { runtime } of engines) await runtime.close();
  flour.dispose();
  await rival.close();
}

/**
 * Throws if an answer differs from XGBoost's prediction.
 *
 * @param {string} name
 * @param {{ isa: string, runtime: import('brezel').Runtime, plan: import('brezel').RegisteredPlan
 * }} engine
 * @param {number[]} wanted
 */
async function compare(name, { isa, runtime, plan }, wanted) {
  const answers = await runtime.predictBatch(plan, rows, { engine: 'batch' });
  answers.forEach((answer, row) => {
    const received = [/** @type {any} */ (answer).prediction].flat()[0];
    if (Math.abs(received - wanted[row]) <= TOLERANCE * Math.max(1, Math.abs(wanted[row]))) return;
    throw new Error(`${name}, row ${row}: expected ${wanted[row]} (XGBoost), received ${received} (${isa})`);
  });
}

/**
 * Measures all engines alternately and records their times. Returns the times of the default
 * engine and of XGBoost in µs.
 *
 * @param {string} what
 * @param {number} calls per block
 * @param {{ isa: string, call: (index: number) => unknown }[]} engines
 * @param {() => Promise<number[]>} rival
 */
async function measured(what, calls, engines, rival) {
  /** @type {number[][]} */
  const ours = engines.map(() => []);
  /** @type {number[]} */
  const theirs = [];
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, { call }] of engines.entries()) {
      const block = await timesOf(call, calls);
      if (round >= 0) ours[index].push(summary(block).median);
    }
    const block = await rival();
    if (round >= 0) theirs.push(summary(block).median);
  }
  const times = (/** @type {number[]} */ blocks) => ({ ...summary(blocks), blocks, tails: [] });
  measure(`${what}: XGBoost`, 'µs a call', summary(theirs));
  for (const [index, { isa }] of engines.entries()) {
    measure(`${what}: ${isa}`, 'µs a call', summary(ours[index]));
    comparison({
      goal: 'G22',
      what: `${what}, ${index === engines.length - 1 ? 'native' : isa}`, // the last is the default
      rival: 'XGBoost, one thread',
      unit: 'µs a call',
      ours: summary(ours[index]).median,
      theirs: summary(theirs).median,
      ...timesFaster(times(theirs), times(ours[index])),
    });
  }
  return { ours: summary(/** @type {number[]} */ (ours.at(-1))).median, theirs: summary(theirs).median };
}

/**
 * How a part of goal G22 calls Brezel: its target, the rows of a call, and the calls of a block.
 *
 * @typedef {{ target: number, rows: number, calls: number,
 * call: (runtime: import('brezel').Runtime, plan: import('brezel').RegisteredPlan, index: number)
 * => unknown }} Calls
 */
/** @type {Calls} */
const SINGLE = {
  target: 20,
  rows: 1,
  calls: 100,
  call: (runtime, plan, index) => runtime.predictSync(plan, rows[index % ROWS]),
};
/** @type {Calls} */
const BATCH = {
  target: 4,
  rows: ROWS,
  calls: 3,
  call: (runtime, plan) => runtime.predictBatch(plan, rows, { engine: 'batch' }),
};

/**
 * Measures the time of a row with a forest that has one split: the time of the call without trees.
 * Records this time as a likely reason why a part of goal G22 is missed.
 *
 * @param {string} part
 * @param {{ ours: number, theirs: number }} times µs a call
 * @param {Calls} calls
 */
async function callBinds(part, { ours, theirs }, { target, rows: count, calls, call }) {
  const { runtime, load, close } = await openBrezel();
  const plan = await load(forestFile(1, 1));
  const blocks = [];
  for (let round = 0; round < ROUNDS; round++)
    blocks.push(summary(await timesOf((index) => call(runtime, plan, index), calls)).median);
  await close();
  const [row, without] = [ours / count, summary(blocks).median / count];
  binds(
    'G22',
    part,
    `the target allows ${short(theirs / count / target)} µs per row. A row takes ${short(row)} µs. A forest with one ` +
      `split takes ${short(without)} µs for the call, for reading ${FEATURES} numbers and for the answer. The trees ` +
      `therefore take ${short(Math.max(0, row - without))} µs`,
  );
}

/**
 * Returns the time of each call in µs, after three warm-up calls.
 *
 * @param {(index: number) => unknown} call
 * @param {number} calls
 */
async function timesOf(call, calls) {
  for (let index = 0; index < 3; index++) await call(index);
  const times = [];
  for (let index = 0; index < calls; index++) {
    const start = performance.now();
    const answer = call(index);
    if (answer instanceof Promise) await answer;
    times.push((performance.now() - start) * 1000);
  }
  return times;
}

/**
 * Starts XGBoost in a Python process.
 *
 * @param {string} python
 * @param {(string | number)[]} settings of xgboost_times.py, without the rows
 */
async function openXgboost(python, [model, ...shape]) {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-xgboost-'));
  const file = join(folder, 'rows.f32');
  writeFileSync(file, new Uint8Array(values.buffer));
  const child = spawn(python, [fileURLToPath(SCRIPT), String(model), file, ...shape.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OMP_NUM_THREADS: '1' },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`XGBoost ended: expected a line of JSON from ${fileURLToPath(SCRIPT)}`);
    return JSON.parse(value);
  };
  const { predictions, version } = await next();
  rmSync(folder, { recursive: true });
  return {
    predictions: /** @type {number[]} */ (predictions),
    version: String(version),
    /**
     * Returns the time of each call in microseconds.
     *
     * @param {number} rows
     * @param {number} calls
     */
    times(rows, calls) {
      child.stdin.write(`${rows} ${calls}\n`);
      return /** @type {Promise<number[]>} */ (next());
    },
    close() {
      child.stdin.end();
      return ended;
    },
  };
}
