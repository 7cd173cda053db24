// Goals G8, G9, G10: measures fleet files, each trial in a fresh process: opening, registering
// plans by name, first predictions, and the memory of a further plan.
import { existsSync } from 'node:fs';
import { createRuntime, openFleet, openStore } from 'brezel';
import { loadOnce } from '../harness/fleet-loading.mjs';
import { settled } from '../harness/machine.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, comparison, goal, isQuick, measure } from '../harness/records.mjs';
import { ratioOf, summary } from '../harness/stats.mjs';
import { expertFile, fleetFile, naturalFile } from '../models/files.mjs';

/** @typedef {import('../models/reviews.mjs').Size} Size */
/**
 * @typedef {{ file: string, verify?: boolean, prefault?: boolean, half?: boolean }} Options
 *   With `half`, the trial also measures memory after half of the plans.
 */

const TRIALS = isQuick ? 1 : 7;
const TEXT = 'Not a bad film at all; the second half, though, is a bore.';
const MEMBERS = 4;
/**
 * The number of plans in the trials that measure the memory of each plan and the registration by
 * name.
 */
const MANY = isQuick ? 10 : 1000;
const MiB = 2 ** 20;
const isLinux = existsSync('/proc/self/smaps_rollup');

export const experiments = {
  async 'fleet-file'() {
    if (isQuick) {
      await fewModels('10k');
      await family('10k', MANY);
      return manyPlans('10k', MANY);
    }
    await fewModels('100k');
    await fewModels('1M');
    await family('10k', 250);
    await family('100k', 250);
    await manyPlans('10k', MANY);
  },
};

/**
 * Runs `TRIALS` trials one after another and returns their results.
 *
 * @param {Options} options
 */
async function trialsOf(options) {
  const list = [];
  for (let index = 0; index < TRIALS; index++) list.push(await trial(import.meta.url, 'open', options));
  return list;
}

/**
 * @param {readonly any[]} list
 * @param {(one: any) => number} of
 */
const middle = (list, of) => summary(list.map(of));

/**
 * Records several durations, each summarized over all trials of `list`.
 *
 * @param {string} what
 * @param {readonly any[]} list of trials
 * @param {Record<string, (one: any) => number>} times reads each time in ms
 */
function measureAll(what, list, times) {
  for (const [name, of] of Object.entries(times)) measure(`${what}: ${name}`, 'ms', middle(list, of));
}

/**
 * Measures the time from opening a fleet file to the first answer, for the first model of a process
 * and for further models. Compares it with onnxruntime sessions that load ONNX files.
 *
 * @param {Size} size
 */
async function fewModels(size) {
  const file = await fleetFile(size, MEMBERS);
  const ahead = await trialsOf({ file, prefault: true });
  const ways = {
    mapped: await trialsOf({ file }),
    'read ahead': ahead,
    verified: await trialsOf({ file, verify: true }),
  };
  for (const [how, list] of Object.entries(ways)) {
    const what = `SA ${size}, ${how}`;
    measureAll(what, list, {
      open: ({ openMs }) => openMs,
      'first plan': ({ firstMs }) => firstMs,
      'a further plan': ({ furtherMs }) => furtherMs / (MEMBERS - 1),
      'first prediction of all': ({ predictMs }) => predictMs[0],
    });
    const further = list.flatMap(({ predictMs }) => predictMs.slice(1));
    measure(`${what}: first prediction of a further plan`, 'ms', summary(further));
  }
  const ours = {
    first: ways.mapped.map(({ openMs, firstMs }) => openMs + firstMs),
    further: ways.mapped.map(({ furtherMs }) => furtherMs / (MEMBERS - 1)),
    answer: ahead.flatMap(({ predictMs }) => predictMs.slice(1)),
  };
  await compareFew(size, 'natural graph', naturalFile, ours, 100);
  await compareFew(size, 'expert graph', expertFile, ours, 6);
  if (size === '1M' || isQuick) fewBinds(ways.mapped, ahead);
}

/**
 * Compares the load times of Brezel with those of onnxruntime sessions that load ONNX files.
 *
 * @param {Size} size
 * @param {string} rival
 * @param {typeof naturalFile} onnx
 * @param {{ first: number[], further: number[], answer: number[] }} ours
 * @param {number} coldTarget
 */
async function compareFew(size, rival, onnx, ours, coldTarget) {
  const files = [onnx(size), onnx(size, 1)];
  const rivals = [];
  for (let index = 0; index < Math.min(3, TRIALS); index++)
    rivals.push(await loadOnce({ engine: 'onnxruntime', kind: 'sa', files, text: TEXT, apart: true }));
  /**
   * @type {(goal: string, what: string, ours: number[], theirs: number[], target: number) => void}
   */
  const against = (goal, what, ours, theirs, target) =>
    comparison({
      goal,
      what: `${what}, SA ${size}`,
      rival,
      unit: 'ms',
      ours: summary(ours).median,
      theirs: summary(theirs).median,
      ...ratioOf(theirs, ours),
      target: size === '1M' ? target : undefined,
      brief: true,
    });
  const theirs = {
    first: rivals.map(({ eachMs }) => eachMs[0]),
    further: rivals.map(({ eachMs }) => eachMs[1]),
    answer: rivals.map(({ coldMs }) => coldMs[1]),
  };
  against('G9', 'open a fleet file and load its first model', ours.first, theirs.first, 1000);
  against('G9', 'load a further model of it', ours.further, theirs.further, 1000);
  against('G10', 'first prediction of a further model, file read ahead', ours.answer, theirs.answer, coldTarget);
}

/**
 * Records likely reasons for missing goal G9 (loading a plan) or G10 (its first prediction).
 *
 * @param {any[]} mapped trials that read each page of the file on first use
 * @param {any[]} ahead trials that read the whole file on open
 */
function fewBinds(mapped, ahead) {
  const us = (/** @type {number} */ ms) => (ms * 1000).toFixed(1);
  const further = middle(mapped, ({ furtherMs }) => furtherMs / (MEMBERS - 1)).median;
  binds(
    'G9',
    'load a compiled model, SA 1M, natural',
    `reading a further plan from the mapped file and registering it takes ${us(further)} µs and touches none of its parameters`,
  );
  const first = summary(ahead.flatMap(({ predictMs }) => predictMs.slice(1))).median;
  const later = summary(ahead.flatMap(({ againMs }) => againMs.slice(1))).median;
  binds(
    'G10',
    ['SA 1M, natural', 'SA 1M, expert', 'prefaulted'].map((part) => `cold first prediction, ${part}`),
    `the first prediction takes ${us(first)} µs and the same text again ${us(later)} µs; the difference is cache misses ` +
      `for weights and page faults of this process`,
  );
}

/**
 * Measures how long Brezel needs to load `count` SA models from one fleet file.
 *
 * @param {Size} size
 * @param {number} count
 */
async function family(size, count) {
  const file = await fleetFile(size, count);
  const what = `${count} SA ${size}`;
  const list = await trialsOf({ file });
  measureAll(what, list, {
    open: ({ openMs }) => openMs,
    'first plan, with its dictionary': ({ firstMs }) => firstMs,
    [`the other ${count - 1}`]: ({ furtherMs }) => furtherMs,
    'a further plan': ({ furtherMs }) => furtherMs / (count - 1),
  });
  const cold = list.flatMap(({ predictMs }) => predictMs.slice(1));
  measure(`${what}: first prediction of a further plan`, 'ms', summary(cold));
  if (isLinux) await residentMemory(what, file);
}

/**
 * Measures a fleet file with very many plans: the time to register all plans by name, the time of
 * the first uses, and the memory of a further plan.
 *
 * @param {Size} size
 * @param {number} count
 */
async function manyPlans(size, count) {
  const file = await fleetFile(size, count);
  const what = `${count} SA ${size}, by name`;
  const list = [];
  for (let index = 0; index < TRIALS; index++) list.push(await trial(import.meta.url, 'byName', { file }));
  measureAll(what, list, {
    open: ({ openMs }) => openMs,
    register: ({ registerMs }) => registerMs,
    'all first uses': ({ usesMs }) => usesMs,
  });
  const total = middle(list, ({ openMs, registerMs }) => openMs + registerMs);
  goal({
    goal: 'G9',
    part: 'by name',
    measured: total.median,
    unit: 'ms',
    ...total.expected,
    note: `opens a file with ${count} models of ${size} entries and registers them by name`,
  });
  const { openMs, registerMs, usesMs } = list[0];
  binds(
    'G9',
    'register 1000 plans by name',
    `opening the file takes ${openMs.toFixed(2)} ms and registering its plans takes ${registerMs.toFixed(2)} ms. ` +
      `The first use of all plans then takes ${usesMs.toFixed(1)} ms`,
  );
  if (isLinux) await furtherMemory(file, size, count);
}

/**
 * Measures the memory of a process that has opened a fleet file and used all its plans.
 *
 * @param {string} what
 * @param {string} file
 */
async function residentMemory(what, file) {
  const held = await trialsOf({ file, prefault: true });
  measure(
    `${what}: resident`,
    'MiB',
    middle(held, ({ heldBytes }) => heldBytes / MiB),
  );
}

/**
 * Measures how much memory each further plan takes in addition to its parameters in the file (goal
 * G8).
 *
 * @param {string} file
 * @param {Size} size
 * @param {number} count
 */
async function furtherMemory(file, size, count) {
  // Both values come from one process after garbage collection, because the heap differs between
  // processes.
  const halves = await trialsOf({ file, prefault: true, half: true });
  const beyond = middle(halves, ({ half, anonymous }) => (anonymous - half.anonymous) / (count - half.plans) / 1024);
  goal({
    goal: 'G8',
    part: 'marginal',
    measured: beyond.median,
    unit: 'KiB',
    ...beyond.expected,
    note: `memory of a further plan of ${size} entries beyond its parameters in the file, after ${Math.floor(count / 2)} others (${beyond.min.toFixed(1)}-${beyond.max.toFixed(1)})`,
  });
  const heap = middle(halves, ({ half, heap }) => (heap - half.heap) / (count - half.plans) / 1024).median;
  binds(
    'G8',
    'a further plan beyond its parameters',
    `a further plan takes ${beyond.median.toFixed(1)} KiB in addition to its parameters. Of this memory, ` +
      `${Math.max(0, heap).toFixed(1)} KiB are JavaScript objects (plan, stages, schemas, leases). The rest are the addon's ` +
      `copies of the plan, and partly filled pages`,
  );
}

export const trials = {
  /**
   * Opens a fleet file, registers its plans by name, and then uses each plan once.
   *
   * @param {Options} options
   */
  async byName({ file }) {
    const store = await openStore();
    const start = performance.now();
    const fleet = await openFleet(file, { store, verify: false });
    const runtime = createRuntime({ store });
    const opened = performance.now();
    const plans = runtime.registerFleet(fleet);
    const registered = performance.now();
    for (const name of plans.names) plans.plan(name);
    const used = performance.now();
    await send({ openMs: opened - start, registerMs: registered - opened, usesMs: used - registered });
    await runtime.close();
  },

  /**
   * Opens a fleet file, registers every plan, and predicts once with each plan.
   *
   * @param {Options} options
   */
  async open({ file, verify = false, prefault = false, half: hasHalf = false }) {
    const store = await openStore(); // also compiles the WebAssembly module of the checksum
    const before = await settled();
    const start = performance.now();
    const fleet = await openFleet(file, { store, verify, prefault });
    const runtime = createRuntime({ store });
    const opened = performance.now();
    const load = (/** @type {string} */ name) => {
      const compiled = fleet.plan(name);
      const plan = runtime.register(compiled);
      compiled.release();
      return plan;
    };
    const predictionMs = (/** @type {ReturnType<typeof load>} */ plan) => {
      const start = performance.now();
      runtime.predictSync(plan, TEXT);
      return performance.now() - start;
    };
    const [firstName, ...names] = fleet.names;
    // The first load of a process also checks the dictionary.
    const plans = [load(/** @type {string} */ (firstName))];
    const first = performance.now();
    await fleet.prefaulted;
    const count = hasHalf ? Math.floor(names.length / 2) : 0;
    for (const name of names.slice(0, count)) plans.push(load(name));
    for (const plan of hasHalf ? plans : []) predictionMs(plan);
    const half = hasHalf ? { plans: count + 1, ...(await settled()), heap: process.memoryUsage().heapUsed } : undefined;
    const resumed = performance.now();
    for (const name of names.slice(count)) plans.push(load(name));
    const loaded = performance.now();
    const predictMs = plans.map(predictionMs);
    const againMs = plans.map((plan) => Math.min(...Array.from({ length: 5 }, () => predictionMs(plan))));
    fleet.close();
    const after = await settled();
    await send({
      openMs: opened - start,
      firstMs: first - opened,
      furtherMs: loaded - resumed,
      predictMs,
      againMs,
      half,
      heap: process.memoryUsage().heapUsed,
      ...after,
      heldBytes: after.rss - before.rss,
      heldAnonymous: after.anonymous - before.anonymous,
    });
    // uses all plans, so that they stay in memory until here
    for (const plan of plans) runtime.predictSync(plan, TEXT);
  },
};
