// Goal G14: measures what a prediction costs in addition to its work, for a pipeline with one
// multiplication. Rows have a promise each, or run in bulk. It also measures an event of the native
// scheduler.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFlour, createRuntime } from 'brezel';
import { compileAndLink, coreSources } from '../../native/scripts/compile.mjs';
import { binds, goal, isQuick, measure, missing, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';

const ROUNDS = isQuick ? 5 : 50;
const CALLS = isQuick ? 500 : 10_000;
const BULK = isQuick ? 2_000 : 100_000;
const EVENTS = isQuick ? 1_000 : 100_000;

export const experiments = {
  async events() {
    const flour = await createFlour();
    const plan = flour
      .columns({ x: 'float32' })
      .select('x')
      .scale({ offset: [1], scale: [2] })
      .plan();
    const serve = (/** @type {number} */ executors) => {
      const runtime = createRuntime({ store: flour.store, executors });
      return { runtime, registered: runtime.register(plan) };
    };
    const rows = Array.from({ length: BULK }, (_, row) => ({ x: row }));
    const objects = await objectCost(rows);
    await promises(serve(0), rows.slice(0, CALLS), objects);
    await bulk(serve, rows, objects);
    await nativeEvents();
  },
};

/**
 * Runs `call` in several rounds and summarizes the nanoseconds per item.
 *
 * @param {number} items
 * @param {() => Promise<unknown>} call
 */
async function nanoseconds(items, call) {
  await call(); // warm-up
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await call();
    times.push(((performance.now() - start) * 1e6) / items);
  }
  return summary(times);
}

/**
 * Measures the cost of reading rows and creating answer objects in JavaScript, without predictions.
 *
 * @param {readonly { x: number }[]} rows
 */
async function objectCost(rows) {
  const objects = await nanoseconds(rows.length, async () => {
    const inputs = Float32Array.from(rows, ({ x }) => x);
    return Array.from(inputs, (x) => ({ scale: [(x - 1) * 2] }));
  });
  measure(`reading ${BULK} rows and making their answer objects, in JavaScript`, 'ns', objects);
  return objects.median;
}

/**
 * Measures predictions with one promise for each row.
 *
 * @param {{ runtime: import('brezel').Runtime, registered: import('brezel').RegisteredPlan }}
 * server
 * @param {readonly { x: number }[]} rows
 * @param {number} objects ns per row
 */
async function promises({ runtime, registered }, rows, objects) {
  const single = await nanoseconds(rows.length, () => Promise.all(rows.map((row) => runtime.predict(registered, row))));
  measure('predict, many at once, a promise each', 'ns', single);
  goal({
    goal: 'G14',
    part: 'submit',
    measured: single.median / 1000,
    min: single.min / 1000,
    max: single.max / 1000,
    unit: 'µs',
    note: 'a predict call on the calling thread, with its promise and answer object',
  });
  binds(
    'G14',
    'submit and promise, JavaScript',
    `a call takes ${short(single.median)} ns: a promise, a microtask, and ${short(objects)} ns for its row and answer object`,
  );
  await runtime.close();
}

/**
 * Measures predictions in batches, with different numbers of executors.
 *
 * @param {(executors: number) => { runtime: import('brezel').Runtime, registered:
 * import('brezel').RegisteredPlan }} serve
 * @param {readonly { x: number }[]} rows
 * @param {number} objects ns per row
 */
async function bulk(serve, rows, objects) {
  /**
   * Nanoseconds per row.
   *
   * @type {Record<string, number>}
   */
  const times = {};
  for (const executors of [0, 1]) {
    const { runtime, registered } = serve(executors);
    const time = await nanoseconds(rows.length, () => runtime.predictBatch(registered, rows));
    const where = executors ? `${executors} executor` : 'calling thread';
    measure(`predictBatch of ${BULK} rows, ${where}`, 'ns', time);
    times[where] = time.median;
    if (executors === 1)
      goal({
        goal: 'G14',
        part: 'bulk row',
        measured: time.median,
        min: time.min,
        max: time.max,
        unit: 'ns',
        note: `a row of predictBatch, ${where}, with reading it and making its answer object`,
      });
    await runtime.close();
  }
  binds(
    'G14',
    'a row in bulk',
    `reading a row and making its answer object takes ${short(objects)} ns in JavaScript alone. predictBatch takes ` +
      `${short(times['calling thread'])} ns on the calling thread and ${short(times['1 executor'])} ns on one executor; ` +
      `the difference is the cost of the executor`,
  );
}

const folder = fileURLToPath(new URL('../../native/build/', import.meta.url));
/**
 * Compiler flags: the optimization flags of native/binding.gyp, and BREZEL_PORTABLE, which selects
 * baseline kernels. This experiment does not measure kernels.
 */
const flags = ['-std=c++20', '-O3', '-ffp-contract=off', '-fno-math-errno', '-w', '-DBREZEL_PORTABLE', '-pthread'];

/**
 * Compiles and runs native/bench/scheduler.cpp, a program without Node.
 *
 * @param {number} events per round
 * @returns {Promise<Record<'alone 1' | 'alone 5' | 'together 1' | 'together 5', number[]> | { why:
 * string }>} ns per
 *   event of each round, or the reason why it cannot run
 */
async function schedulerEvents(events) {
  const compiler = process.env.CXX ?? 'g++';
  const program = `${folder}scheduler_bench`;
  mkdirSync(folder, { recursive: true });
  if (spawnSync(compiler, ['--version']).error) return { why: `no C++ compiler (${compiler})` };
  const sources = [...coreSources(['baseline']), 'bench/scheduler.cpp'];
  await compileAndLink({ compiler, flags, sources, output: program });
  const run = spawnSync(program, [String(events)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${program} exited with ${run.status ?? run.signal}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/**
 * Measures how long the native scheduler needs for one event: from its submission until the caller
 * takes its result.
 */
async function nativeEvents() {
  const events = await schedulerEvents(EVENTS);
  if ('why' in events) return missing('a stage event, native (G14)', events.why);
  const [one, five] = [summary(events['alone 1']), summary(events['alone 5'])];
  measure('a stage event, plan of 1 stage, submitter and executor in turns', 'ns', one);
  measure('a stage event, plan of 5 stages, submitter and executor in turns', 'ns', five);
  measure('a stage event, plan of 1 stage, executor in a separate thread', 'ns', summary(events['together 1']));
  measure('a stage event, plan of 5 stages, executor in a separate thread', 'ns', summary(events['together 5']));
  binds(
    'G14',
    'a stage event, native',
    `${one.median.toFixed(0)} ns in plans of one stage, ${five.median.toFixed(0)} ns in plans of 5 stages, which share submission and completion`,
  );
  goal({
    goal: 'G14',
    part: 'stage event',
    measured: one.median,
    min: one.min,
    max: one.max,
    unit: 'ns',
    note: `a chunk of one row and one stage: submitted, executed (three multiplications), completed, taken; ${five.median.toFixed(0)} ns in plans of 5 stages`,
  });
}
