// Goal G12: measures the longest time for which a batch call blocks the event loop, without garbage
// collection.
import { availableParallelism } from 'node:os';
import { PerformanceObserver } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { compareOnce } from '../harness/agreement.mjs';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { gapsOf, hasCoreWaits } from '../harness/machine.mjs';
import { kinds } from '../harness/plan.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, comparison, goal, isQuick, measure, point, say, short } from '../harness/records.mjs';
import { expectedExtreme, ratioOf, summary } from '../harness/stats.mjs';
import { openWorkload, rowsOf } from '../models/workload.mjs';

/** @typedef {import('../harness/machine.mjs').Gap} Gap */
/** @typedef {import('../models/workload.mjs').Kind} Kind */
/**
 * @typedef {{ withoutPauses: number, withPauses: number, computing: number }} Stall
 *   The longest stalls of the event loop during a call, in ms. `withPauses` includes the pauses of
 *   the garbage collector, and `withoutPauses` excludes them. `computing` also excludes the time in
 *   which the thread waited for a core.
 */
/**
 * @typedef {{ engine: 'brezel' | 'onnxruntime', kind: Kind, file: string, batch: number, calls:
 * number, executors?: number }} Load
 *   A trial: `calls` batches of `batch` rows with the model in `file`.
 */

/**
 * Seconds of the control measurement, about as long as the batch calls of one kind of pipeline: a
 * thread that only reads the clock shows the stalls that the operating system causes.
 */
const CLOCK_SECONDS = isQuick ? 0.5 : 6;
const CALLS = isQuick ? 3 : 20;
const BATCHES = isQuick ? [1000] : [100, 1000, 10_000, 100_000];

export const experiments = {
  async stall() {
    for (const kind of kinds) {
      const fleet = openWorkload(kind);
      say(await compareOnce(fleet, [0]));
      const ours = values(await batches(kind, fleet.file(0, 'natural')));
      const calls = Math.min(CALLS, 5);
      const expert = fleet.file(0, 'expert');
      const theirs = values(await stallsOf({ engine: 'onnxruntime', kind, file: expert, batch: 1000, calls }));
      compare(kind, ours, theirs);
    }
  },
};

/**
 * Runs batch calls in a fresh process, and returns the stalls of each call.
 *
 * @param {Load} load
 * @returns {Promise<Stall[]>}
 */
const stallsOf = async (load) => (await trial(import.meta.url, 'stall', load)).longest;

/**
 * @param {readonly Stall[]} list
 * @param {keyof Stall} [field]
 */
const values = (list, field = 'withoutPauses') => list.map((one) => one[field]);

/**
 * Measures Brezel with different batch sizes. Records the worst call, because the goal applies to
 * every call.
 *
 * @param {Kind} kind
 * @param {string} file
 */
async function batches(kind, file) {
  const upper = kind.toUpperCase();
  /** @type {Map<number, Stall[]>} */
  const all = new Map();
  for (const batch of BATCHES) {
    const list = await stallsOf({ engine: 'brezel', kind, file, batch, calls: CALLS });
    all.set(batch, list);
    point({ figure: 'stall', series: 'brezel', x: `${upper} ${batch} rows`, unit: 'ms' }, summary(values(list)));
    measure(`${upper} ${batch} rows, stall with garbage collection`, 'ms', summary(values(list, 'withPauses')));
  }
  const every = [...all.values()].flat();
  goal({
    goal: 'G12',
    part: kind,
    measured: summary(values(every)).max,
    unit: 'ms',
    ...expectedExtreme(every, (part) => summary(values(part)).max),
    note: `worst of ${CALLS} calls with ${BATCHES.join(', ')} rows each, without garbage collection`,
  });
  await stallBinds(kind, file, every);
  return /** @type {Stall[]} */ (all.get(1000));
}

/**
 * Compares the longest stalls of Brezel with those of onnxruntime, for batches of 1000 rows.
 *
 * @param {Kind} kind
 * @param {number[]} ours
 * @param {number[]} theirs
 */
function compare(kind, ours, theirs) {
  const upper = kind.toUpperCase();
  point({ figure: 'stall', series: 'onnxruntime expert', x: `${upper} 1000 rows`, unit: 'ms' }, summary(theirs));
  const [worst, theirWorst] = [summary(ours).max, summary(theirs).max];
  comparison({
    goal: 'G12',
    part: `${kind} rival`,
    figure: 'stall',
    what: `longest stall of a batch of 1000 ${upper} rows`,
    rival: 'expert graph',
    unit: 'ms',
    ours: worst,
    theirs: theirWorst,
    ...ratioOf(theirs, ours),
    ratio: theirWorst / worst,
  });
}

/**
 * Records a likely reason for missing goal G12 (stalls of the event loop): a thread waits for a
 * core. Measures the stalls with one executor, and the stalls of a thread that only reads the
 * clock.
 *
 * @param {Kind} kind
 * @param {string} file
 * @param {readonly Stall[]} all
 */
async function stallBinds(kind, file, all) {
  const cores = availableParallelism();
  const batch = /** @type {number} */ (BATCHES.at(-1));
  const one = await stallsOf({ engine: 'brezel', kind, file, batch, calls: CALLS, executors: 1 });
  const clock = async (/** @type {number} */ busy) =>
    short((await trial(import.meta.url, 'clock', { busy, seconds: CLOCK_SECONDS })).longest);
  const most = (/** @type {readonly Stall[]} */ list, /** @type {keyof Stall} */ field) =>
    short(summary(values(list, field)).max);
  const computing = hasCoreWaits
    ? `Without the time spent waiting for a core, the longest stall is ${most(all, 'computing')} ms and the median stall is ` +
      `${short(summary(values(all, 'computing')).median)} ms, for reading rows and building answers. `
    : 'The system does not report the time spent waiting for a core. ';
  binds(
    'G12',
    `longest stall of a batch of ${kind.toUpperCase()}`,
    `the event loop shares ${cores} cores with the default number of executors. The longest stall is ${most(all, 'withoutPauses')} ms. ` +
      `${computing}With 1 executor and batches of ${batch} rows, the longest stall is ${most(one, 'withoutPauses')} ms, ` +
      `or ${most(one, 'computing')} ms without waiting for a core. The operating system also stalls threads. In ` +
      `${CLOCK_SECONDS} s, the longest stall of a thread that only reads the clock is ${await clock(cores)} ms beside ` +
      `${cores} busy threads, ${await clock(1)} ms beside one busy thread, and ${await clock(0)} ms alone`,
  );
}

export const trials = {
  /**
   * Runs batch calls and measures the stalls of the event loop during each call.
   * @param {Load} load
   */
  async stall({ engine, kind, file, batch, calls, executors }) {
    const some = rowsOf(kind, Math.min(batch, 2000), 13);
    const rows = Array.from({ length: batch }, (_, row) => some[row % some.length]);
    /**
     * Pauses of the garbage collector in ms.
     *
     * @type {{ start: number, end: number }[]}
     */
    const pauses = [];
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        pauses.push({ start: startTime, end: startTime + duration });
    });
    observer.observe({ entryTypes: ['gc'] });
    const { call, close } = await (engine === 'brezel' ? ours(file, rows, executors) : theirs(kind, file, rows));
    await call(); // warm-up
    const longest = [];
    for (let index = 0; index < calls; index++) {
      pauses.length = 0;
      const start = performance.now();
      const gaps = await gapsOf(call);
      const wallMs = performance.now() - start;
      const paused = (/** @type {Gap} */ gap) =>
        pauses.reduce((sum, one) => sum + Math.max(0, Math.min(one.end, gap.end) - Math.max(one.start, gap.start)), 0);
      const most = (/** @type {(gap: Gap) => number} */ of) => gaps.reduce((all, gap) => Math.max(all, of(gap)), 0);
      longest.push({
        withPauses: most((gap) => gap.end - gap.start),
        withoutPauses: most((gap) => gap.end - gap.start - paused(gap)),
        computing: most((gap) => gap.end - gap.start - paused(gap) - gap.waited),
        wallMs,
      });
    }
    observer.disconnect();
    await send({ longest });
    await close();
  },

  /**
   * Measures the longest stall of a thread that only reads the clock, while other threads are busy.
   *
   * @param {{ busy: number, seconds: number }} parameters
   */
  async clock({ busy, seconds }) {
    const threads = Array.from({ length: busy }, () => new Worker('for (;;);', { eval: true }));
    await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('online', resolve))));
    let longest = 0;
    const end = performance.now() + 1000 * seconds;
    for (let last = performance.now(); last < end; ) {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
    await Promise.all(threads.map((thread) => thread.terminate()));
    await send({ longest });
  },
};

/**
 * Opens a model in Brezel, and returns a function that predicts all rows as one batch.
 *
 * @param {string} file
 * @param {readonly any[]} rows
 * @param {number} [executors]
 */
async function ours(file, rows, executors) {
  const { runtime, plans, load, close } = await openBrezel({ runtime: executors === undefined ? {} : { executors } });
  await load(file);
  return { call: () => runtime.predictBatch(plans[0], rows), close };
}

/**
 * Opens a model in onnxruntime, and returns a function that predicts all rows as one batch.
 *
 * @param {Kind} kind
 * @param {string} file
 * @param {readonly any[]} rows
 */
async function theirs(kind, file, rows) {
  const { feed, run, load, close } = await openRival(kind);
  await load(file);
  const tensors = feed(rows);
  return { call: () => run(0, tensors), close };
}
