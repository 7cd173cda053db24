// One trial of G17: a plan with an executor of its own, asked while the other executor is busy with batches that were handed over before; the main
// thread sleeps between requests. Started by paper/fig13-heavy.mjs. Parameter: JSON of { kind, file, load, requests, isLoaded, foreign }; foreign:
// so many other processes that compute meanwhile, and nothing else is asked of this one.
import { busyBeside } from '../lib/beside.mjs';
import { parameters, send } from '../lib/child.mjs';
import { waitedForCore } from '../lib/core-wait.mjs';
import { openBrezel } from '../lib/servers.mjs';
import { summary } from '../lib/stats.mjs';
import { rowsOf } from '../workload/rows.mjs';

const BATCHES = 8;
const { kind, file, load, requests, isLoaded, foreign = 0 } = JSON.parse(parameters[0]);
const server = await openBrezel({ runtime: { executors: 2 } });
await server.load(file, /** @type {any} */ ({ reserve: { executors: 1 } }));
await server.load(load);
const [reserved, other] = server.plans;
const rows = rowsOf(kind, 2000, 15);
const many = Array.from({ length: 50_000 }, (_, at) => rows[at % rows.length]);
const block = rows.slice(0, 256);

let isOver = false;
/** Keeps the shared executor busy until the end. */
async function keepBusy() {
  while (!isOver) await server.runtime.predictBatch(other, many);
}
const endOthers = await busyBeside(foreign);
const busy = isLoaded ? Array.from({ length: BATCHES }, keepBusy) : [];
const asleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const times = [];
const [begun, waited, turns] = [performance.now(), waitedForCore(), performance.eventLoopUtilization()];
for (let at = -50; at < requests; at++) {
  await asleep(3);
  const start = performance.now();
  await server.runtime.predictBatch(reserved, block);
  if (at >= 0) times.push((performance.now() - start) * 1000);
}
const seconds = (performance.now() - begun) / 1000;
/** Of the thread that asks: how much of the time it was busy, and waited for a core. */
const asking = {
  busy: performance.eventLoopUtilization(turns).utilization,
  waited: (waitedForCore() - waited) / 1000 / seconds,
};
endOthers();
isOver = true;
await Promise.all(busy);
await send({ times: summary(times), asking });
await server.close();
process.disconnect?.();
