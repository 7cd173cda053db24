// Figure 13: runs 500 pipelines in one process under increasing load (`load`). Goal G17: compares a
// plan with a reserved executor on an idle machine and under load (`reservation`).
import { availableParallelism } from 'node:os';
import { openFleet } from 'brezel';
import { openBrezel } from '../harness/engines.mjs';
import { openLoop, poissonArrivals } from '../harness/loops.mjs';
import { startBusyProcesses, waitedForCore } from '../harness/machine.mjs';
import { partsOf } from '../harness/plan.mjs';
import { send, trial } from '../harness/processes.mjs';
import { binds, goal, isQuick, missing, point, say } from '../harness/records.mjs';
import { expectedRange, spread, summary } from '../harness/stats.mjs';
import { randomOf, shuffled, zipf } from '../models/random.mjs';
import { openWorkload, rowsOf } from '../models/workload.mjs';

/**
 * @typedef {{ packed: { sa: string, ac: string }, executors: number, reserve?: boolean, rates:
 * readonly number[], seconds: number }} Heavy
 *   `packed` has the fleet files. `rates` are the loads in requests per second, and each load runs
 *   for `seconds`. With `reserve`, one plan has a reserved executor.
 */
/**
 * @typedef {{ kind: 'ac', file: string, load: string, requests: number, isLoaded: boolean,
 * foreign?: number }} Reserved
 *   Calls the plan of the ONNX file `file`, which has a reserved executor. If `isLoaded`, the plan
 *   of the ONNX file `load` predicts batches meanwhile. `foreign` is the number of busy processes.
 */
/**
 * @typedef {{ p99: number, busy: number, waited: number }} Seen
 *   `p99` is in µs. `busy` and `waited` are fractions of the elapsed time: the calling thread's
 *   event loop was busy, or the thread waited for a core.
 */

/**
 * The loads to measure, in requests per second. Every second plan by popularity receives requests
 * of 100 rows; the other plans receive requests of one row.
 */
const RATES = isQuick ? [50, 200] : [50, 100, 200, 400, 800, 1600, 3200];
const SECONDS = isQuick ? 1 : 5;
const ROUNDS = isQuick ? 1 : 5;
const ALPHA = 2;
const BATCH = 100;
/**
 * Popularity rank of the plan with a reserved executor. This plan receives single rows, and it is
 * not the most popular one.
 */
const WATCHED = 1;

export const experiments = {
  async 'fig13-heavy'() {
    const cores = availableParallelism();
    for (const part of partsOf(/** @type {const} */ (['load', 'reservation']))) {
      if (part === 'load') {
        await heavy('brezel, calling thread', { executors: 0 });
        await heavy(`brezel, ${cores} executors`, { executors: cores });
        await heavy('brezel, one executor reserved for one plan', { executors: cores, reserve: true });
      } else if (cores < 2) missing('G17', 'this machine has one core');
      else await reservation();
    }
  },
};

/**
 * Measures all pipelines under increasing load, and records the points of Figure 13.
 *
 * @param {string} series
 * @param {{ executors: number, reserve?: boolean }} options
 */
async function heavy(series, options) {
  const packed = { sa: await openWorkload('sa').packed(), ac: await openWorkload('ac').packed() };
  const parameters = { packed, rates: RATES, seconds: SECONDS, ...options };
  const { results, models } = await trial(import.meta.url, 'heavy', parameters);
  for (const { rate, sensitive, watched, lateness, failed, unanswered, rowsPerSecond, rows } of results) {
    const where = { series, x: rate, xUnit: 'requests/s' };
    point({ figure: 'fig13-latency', ...where, unit: 'ms' }, sensitive);
    point({ figure: 'fig13-latency-mean', ...where, unit: 'ms' }, { ...sensitive.means, median: sensitive.mean });
    if (watched !== undefined) point({ figure: 'fig13-one-plan', ...where, unit: 'ms' }, watched);
    point({ figure: 'fig13-throughput', ...where, unit: 'rows/s' }, { ...rows, median: rowsPerSecond });
    if (failed + unanswered > 0 || lateness.p99 > 1)
      say(
        `${series}, ${rate}/s over ${models} models: ${failed} failed, ${unanswered} unanswered, requests sent ${lateness.p99.toFixed(1)} ms late (p99)`,
      );
  }
}

/** The loads that run while the plan with a reserved executor is called. */
const MEANWHILE = {
  idle: { isLoaded: false },
  'under load': { isLoaded: true },
  'beside another process that computes': { isLoaded: false, foreign: 1 },
  'beside as many as there are cores': { isLoaded: false, foreign: availableParallelism() },
};

/** Measures a plan with a reserved executor under each load of `MEANWHILE`. The loads alternate. */
async function reservation() {
  const ac = openWorkload('ac');
  const requests = isQuick ? 100 : 1000;
  const parameters = { kind: 'ac', file: ac.file(0, 'natural'), load: ac.file(1, 'natural'), requests };
  /** @type {Record<string, Seen[]>} */
  const seen = Object.fromEntries(Object.keys(MEANWHILE).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, meanwhile] of Object.entries(MEANWHILE)) {
      const { times, calling } = await trial(import.meta.url, 'reserved', { ...parameters, ...meanwhile });
      seen[name].push({ p99: times.p99, ...calling });
      point({ figure: 'fig13-reservation', series: name, x: 'batch of 256', unit: 'µs' }, times);
    }
  }
  const against = (/** @type {string} */ name) =>
    spread(seen[name].map(({ p99 }, round) => p99 / seen.idle[round].p99));
  const { ratio, low, high, ...range } = against('under load');
  goal({
    goal: 'G17',
    measured: ratio,
    unit: 'times',
    ...range,
    note: `p99 of 256 rows on a reserved executor, under load / idle (${low.toFixed(2)}-${high.toFixed(2)})`,
  });
  reservationBinds(seen, against);
}

/**
 * Records likely reasons for missing goal G17 (the latency with a reserved executor). Compares the
 * effect of the load with the effect of other processes, which Brezel cannot schedule.
 *
 * @param {Record<string, Seen[]>} seen
 * @param {(name: string) => { ratio: number }} against
 */
function reservationBinds(seen, against) {
  const cores = availableParallelism();
  const times = (/** @type {string} */ name) => against(name).ratio.toFixed(2);
  const share = (/** @type {'busy' | 'waited'} */ field) =>
    `${(summary(seen['under load'].map((one) => one[field])).median * 100).toFixed(0)} %`;
  const threads =
    cores < 3
      ? `the shared executor, the reserved executor and the calling thread share ${cores} cores. `
      : `the shared executor, the reserved executor and the calling thread use one core each of the ${cores} cores. `;
  binds(
    'G17',
    'p99 of a reserved plan, under load / idle',
    `${threads}If the server is idle but another process is busy, the p99 is ` +
      `${times('beside another process that computes')} times the p99 on an idle machine. With ${cores} other busy ` +
      `processes, the p99 is ${times('beside as many as there are cores')} times as long. Under load, the calling thread ` +
      `also reads the rows and builds the answers of other plans. The calling thread is busy for ${share('busy')} of the ` +
      `time and waits for a core for ${share('waited')} of the time. Answers of the reserved plan wait for the calling thread`,
  );
}

export const trials = {
  /**
   * Runs all pipelines in one process under increasing load with Zipf-distributed popularity. Half
   * of the pipelines receive single rows, which are sensitive to latency; the others receive
   * batches.
   *
   * @param {Heavy} parameters
   */
  async heavy({ packed, executors, reserve = false, rates, seconds }) {
    const rows = { sa: rowsOf('sa', 500, 14), ac: rowsOf('ac', 500, 14) };
    const random = randomOf(2018);
    const server = await openBrezel({ runtime: { executors } });
    /** @type {('sa' | 'ac')[]} */
    const kinds = [];
    for (const kind of /** @type {const} */ (['sa', 'ac'])) {
      await server.open(packed[kind], { verify: false, prefault: true });
      while (kinds.length < server.plans.length) kinds.push(kind);
    }
    /** The models, most popular first. Every second one of them receives single rows. */
    const order = shuffled(random, [...kinds.keys()]);
    const isSensitive = (/** @type {number} */ rank) => rank % 2 === WATCHED % 2;
    if (reserve) await reserveExecutor(server, packed, kinds, order[WATCHED]);

    const run = async (/** @type {number} */ rate) => {
      const pick = zipf(random, order.length, { exponent: ALPHA, shift: 1 });
      const arrivals = poissonArrivals(random, rate, seconds);
      const ranks = Int32Array.from(arrivals, pick);
      let answered = 0;
      /** The number of answered rows in each second. */
      const bySecond = new Array(seconds).fill(0);
      const start = performance.now();
      const count = (/** @type {number} */ many) => {
        answered += many;
        const second = Math.floor((performance.now() - start) / 1000);
        if (second < seconds) bySecond[second] += many;
      };
      const request = async (/** @type {number} */ index) => {
        const model = order[ranks[index]];
        const list = rows[kinds[model]];
        if (isSensitive(ranks[index])) {
          await server.runtime.predict(server.plans[model], list[index % list.length]);
          count(1);
        } else {
          const first = index % (list.length - BATCH);
          await server.runtime.predictBatch(server.plans[model], list.slice(first, first + BATCH));
          count(BATCH);
        }
      };
      const { latencies, lateness, failed, unanswered, elapsedMs } = await openLoop(arrivals, request);
      const sensitive = latencies.filter((_, index) => isSensitive(ranks[index]));
      const watched = latencies.filter((_, index) => ranks[index] === WATCHED);
      return {
        rate,
        sensitive: { ...summary(sensitive), mean: mean(sensitive), means: expectedRange(fifths(sensitive).map(mean)) },
        watched: watched.length === 0 ? undefined : summary(watched),
        lateness: summary(lateness),
        failed,
        unanswered,
        rowsPerSecond: (answered * 1000) / elapsedMs,
        rows: expectedRange(bySecond),
      };
    };
    await run(rates[0]); // warm-up
    const results = [];
    for (const rate of rates) results.push(await run(rate));
    await send({ results, models: order.length });
    await server.close();
  },

  /**
   * Calls a plan with a reserved executor. With `isLoaded`, the shared executor works on batches
   * meanwhile. The calling thread sleeps between calls.
   *
   * @param {Reserved} parameters
   */
  async reserved({ kind, file, load, requests, isLoaded, foreign = 0 }) {
    const server = await openBrezel({ runtime: { executors: 2 } });
    await server.load(file, /** @type {any} */ ({ reserve: { executors: 1 } }));
    await server.load(load);
    const [reserved, other] = server.plans;
    const rows = rowsOf(kind, 2000, 15);
    const many = Array.from({ length: 50_000 }, (_, row) => rows[row % rows.length]);
    const block = rows.slice(0, 256);
    let isOver = false;
    const keepBusy = async () => {
      while (!isOver) await server.runtime.predictBatch(other, many);
    };
    const stopBusy = await startBusyProcesses(foreign);
    const busy = isLoaded ? Array.from({ length: 8 }, keepBusy) : [];
    const times = [];
    const [start, waited, loop] = [performance.now(), waitedForCore(), performance.eventLoopUtilization()];
    for (let request = -50; request < requests; request++) {
      await new Promise((resolve) => setTimeout(resolve, 3));
      const begun = performance.now();
      await server.runtime.predictBatch(reserved, block);
      if (request >= 0) times.push((performance.now() - begun) * 1000);
    }
    const seconds = (performance.now() - start) / 1000;
    const calling = {
      busy: performance.eventLoopUtilization(loop).utilization,
      waited: (waitedForCore() - waited) / 1000 / seconds,
    };
    stopBusy();
    isOver = true;
    await Promise.all(busy);
    await send({ times: summary(times), calling });
    await server.close();
  },
};

/**
 * Registers a plan again, with a reserved executor.
 *
 * @param {Awaited<ReturnType<typeof openBrezel>>} server
 * @param {Heavy['packed']} packed
 * @param {readonly ('sa' | 'ac')[]} kinds
 * @param {number} model
 */
async function reserveExecutor({ runtime, plans }, packed, kinds, model) {
  runtime.unregister(plans[model]);
  const kind = kinds[model];
  const fleet = await openFleet(packed[kind], { store: runtime.store, verify: false });
  const name = fleet.names[kind === 'sa' ? model : model - kinds.indexOf('ac')];
  const compiled = fleet.plan(/** @type {string} */ (name));
  plans[model] = runtime.register(compiled, /** @type {any} */ ({ reserve: { executors: 1 } }));
  compiled.release();
  fleet.close();
}

/**
 * Splits a run into five consecutive parts.
 *
 * @param {Float64Array} list
 */
const fifths = (list) =>
  Array.from({ length: 5 }, (_, part) =>
    list.subarray((part * list.length) / 5, ((part + 1) * list.length) / 5),
  ).filter(({ length }) => length > 0);

/** @param {Float64Array} list */
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
