// One trial: a batch call in a fresh process, and how long the event loop stands still meanwhile. Started by paper/stall.mjs.
// Parameter: JSON of { engine, kind, file, batch, calls, executors }.
import { PerformanceObserver } from 'node:perf_hooks';
import { parameters, send } from '../lib/child.mjs';
import { waitedForCore } from '../lib/core-wait.mjs';
import { openBrezel, openRival } from '../lib/servers.mjs';
import { feedOfRows, rowsOf } from '../workload/rows.mjs';

const { engine, kind, file, batch, calls, executors } = JSON.parse(parameters[0]);
const some = rowsOf(kind, Math.min(batch, 2000), 13);
const rows = Array.from({ length: batch }, (_, at) => some[at % some.length]);

async function contestant() {
  if (engine === 'brezel') {
    const server = await openBrezel({ runtime: executors === undefined ? {} : { executors } });
    await server.load(file);
    return { call: () => server.runtime.predictBatch(server.plans[0], rows), close: server.close };
  }
  const server = await openRival(kind);
  await server.load(file);
  const { default: ort } = await import('onnxruntime-node');
  const feed = feedOfRows(ort, kind, rows);
  return { call: () => server.sessions[0].run(feed), close: server.close };
}

/** @type {{ start: number, end: number }[]} pauses of the garbage collector, ms */
const pauses = [];
const observer = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push({ start: startTime, end: startTime + duration });
});
observer.observe({ entryTypes: ['gc'] });

/** Turns of the event loop while a call runs: start and end of each gap between two of them, ms, and for how long this thread waited for a core in it. @param {() => Promise<unknown>} call */
async function gapsOf(call) {
  /** @type {{ start: number, end: number, waited: number }[]} */
  const gaps = [];
  let isOver = false;
  let [last, lastWaited] = [performance.now(), waitedForCore()];
  const turn = () => {
    const [now, waited] = [performance.now(), waitedForCore()];
    gaps.push({ start: last, end: now, waited: waited - lastWaited });
    [last, lastWaited] = [now, waited];
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await call();
  isOver = true;
  await new Promise((resolve) => setTimeout(resolve, 5)); // the observer hears of pauses later
  return gaps;
}

const { call, close } = await contestant();
await call(); // warm-up
/** @type {{ withPauses: number, withoutPauses: number, computing: number, wallMs: number }[]} computing: without pauses, and without waiting for a core */
const longest = [];
for (let at = 0; at < calls; at++) {
  pauses.length = 0;
  const start = performance.now();
  const gaps = await gapsOf(call);
  const wallMs = performance.now() - start;
  const paused = (/** @type {{ start: number, end: number }} */ gap) =>
    pauses.reduce((sum, one) => sum + Math.max(0, Math.min(one.end, gap.end) - Math.max(one.start, gap.start)), 0);
  longest.push({
    withPauses: gaps.reduce((most, gap) => Math.max(most, gap.end - gap.start), 0),
    withoutPauses: gaps.reduce((most, gap) => Math.max(most, gap.end - gap.start - paused(gap)), 0),
    computing: gaps.reduce((most, gap) => Math.max(most, gap.end - gap.start - paused(gap) - gap.waited), 0),
    wallMs,
  });
}
observer.disconnect();
await send({ longest });
await close();
process.disconnect?.();
