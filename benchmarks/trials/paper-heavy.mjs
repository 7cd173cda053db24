// One trial: all pipelines in one process, load that rises, requests by Zipf's law; half of the pipelines are sensitive to latency (one row), half
// get batches of 100. Started by paper/fig13-heavy.mjs. Parameter: JSON of { packed: { sa, ac }, executors, reserve, rates, seconds }.
import { parameters, send } from '../lib/child.mjs';
import { openLoop, poissonArrivals, zipfPicker } from '../lib/open-loop.mjs';
import { randomOf } from '../lib/random.mjs';
import { openBrezel } from '../lib/servers.mjs';
import { stated, summary } from '../lib/stats.mjs';
import { rowsOf } from '../workload/rows.mjs';
import { shuffled } from '../workload/versions.mjs';

const ALPHA = 2;
const BATCH = 100;
/** The plan that may have an executor of its own, by popularity: sensitive, and not the first, whose batches would be its own load. */
const WATCHED = 1;

const { packed, executors, reserve, rates, seconds } = JSON.parse(parameters[0]);
const rows = { sa: rowsOf('sa', 500, 14), ac: rowsOf('ac', 500, 14) };
const random = randomOf(2018);
const server = await openBrezel({ runtime: executors === undefined ? {} : { executors } });
/** @type {('sa' | 'ac')[]} */
const kinds = [];
for (const kind of /** @type {const} */ (['sa', 'ac'])) {
  await server.open(packed[kind], { verify: false, prefault: true });
  while (kinds.length < server.plans.length) kinds.push(kind);
}
/** Models by popularity; every second one is sensitive to latency. */
const order = shuffled(random, [...kinds.keys()]);
const isSensitive = (/** @type {number} */ rank) => rank % 2 === WATCHED % 2;
const watched = order[WATCHED];
if (reserve) {
  const { runtime, plans } = server;
  runtime.unregister(plans[watched]);
  const { openFleet } = await import('brezel');
  const kind = kinds[watched];
  const fleet = await openFleet(packed[kind], { store: runtime.store, verify: false });
  const compiled = fleet.plan(
    /** @type {string} */ (fleet.names[kind === 'sa' ? watched : watched - kinds.indexOf('ac')]),
  );
  plans[watched] = runtime.register(compiled, /** @type {any} */ ({ reserve: { executors: 1 } }));
  compiled.release();
  fleet.close();
}

/** @param {number} rate requests a second */
async function run(rate) {
  const pick = zipfPicker(random, order.length, ALPHA);
  const arrivals = poissonArrivals(random, rate, seconds);
  const ranks = Int32Array.from(arrivals, pick);
  let answered = 0;
  /** Rows answered in each second. */
  const bySecond = new Array(seconds).fill(0);
  const start = performance.now();
  const count = (/** @type {number} */ many) => {
    answered += many;
    const second = Math.floor((performance.now() - start) / 1000);
    if (second < seconds) bySecond[second] += many;
  };
  const ask = async (/** @type {number} */ at) => {
    const model = order[ranks[at]];
    const list = rows[kinds[model]];
    if (isSensitive(ranks[at])) {
      await server.runtime.predict(server.plans[model], list[at % list.length]);
      count(1);
    } else {
      const first = at % (list.length - BATCH);
      await server.runtime.predictBatch(server.plans[model], list.slice(first, first + BATCH));
      count(BATCH);
    }
  };
  const { latencies, lateness, failed, unanswered, elapsedMs } = await openLoop(arrivals, ask);
  const sensitive = latencies.filter((_, at) => isSensitive(ranks[at]));
  const ofWatched = latencies.filter((_, at) => ranks[at] === WATCHED);
  return {
    rate,
    sensitive: { ...summary(sensitive), mean: mean(sensitive), means: stated(fifths(sensitive).map(mean)) },
    watched: ofWatched.length === 0 ? undefined : summary(ofWatched),
    lateness: summary(lateness),
    failed,
    unanswered,
    rowsPerSecond: (answered * 1000) / elapsedMs,
    rows: stated(bySecond),
  };
}

/** Parts of a run, one after the other. @param {Float64Array} list */
const fifths = (list) =>
  Array.from({ length: 5 }, (_, at) => list.subarray((at * list.length) / 5, ((at + 1) * list.length) / 5)).filter(
    ({ length }) => length > 0,
  );

/** @param {Float64Array} list */
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

await run(rates[0]); // warm-up
const results = [];
for (const rate of rates) results.push(await run(rate));
await send({ results, models: order.length });
await server.close();
process.disconnect?.();
