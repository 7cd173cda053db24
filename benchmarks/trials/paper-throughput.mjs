// One trial: a fresh process loads pipelines and answers batches, model after model, for some seconds. Started by paper/fig12-throughput.mjs.
// Parameter: JSON of { engine, kind, packed, files, threads, executors, batch, seconds, only, empty }: only: numbers of the
// pipelines to ask; empty: texts without words.
import { availableParallelism } from 'node:os';
import { parameters, send } from '../lib/child.mjs';
import { openBrezel, openRival } from '../lib/servers.mjs';
import { rowsOf } from '../workload/rows.mjs';

const { engine, kind, packed, files, threads, executors, batch, seconds, only, empty } = JSON.parse(parameters[0]);
const rows = empty ? new Array(batch).fill('') : rowsOf(kind, batch, 12);
let models = 0;

async function ours() {
  const server = await openBrezel({ runtime: executors === undefined ? {} : { executors } });
  await server.open(packed, { verify: false, prefault: true });
  models = server.plans.length;
  // Answers as users get them: objects. The rival gives tensors.
  return {
    call: (/** @type {number} */ model) => server.runtime.predictBatch(server.plans[model], rows),
    close: server.close,
  };
}

async function theirs() {
  const server = await openRival(kind, { threads });
  for (const file of files) await server.load(file);
  models = files.length;
  const { default: ort } = await import('onnxruntime-node');
  const { feedOfRows } = await import('../workload/rows.mjs');
  const feed = feedOfRows(ort, kind, rows); // made before the clock starts
  return { call: (/** @type {number} */ model) => server.sessions[model].run(feed), close: server.close };
}

const { call, close } = engine === 'brezel' ? await ours() : await theirs();
/** @type {readonly number[]} */
const asked = only ?? [...new Array(models).keys()];
/** Batches under way at once: executors have something to do while the next batch is made. */
const OPEN = executors ? 2 * executors : 1;

/** Runs for a while, and gives rows a second. @param {number} ms */
async function block(ms) {
  const start = performance.now();
  let answered = 0;
  let next = 0;
  const lane = async () => {
    while (performance.now() - start < ms) {
      await call(asked[next++ % asked.length]);
      answered += rows.length;
    }
  };
  await Promise.all(Array.from({ length: OPEN }, lane));
  return (answered * 1000) / (performance.now() - start);
}

await block(seconds * 300); // warm-up
const blocks = [];
const [start, cpu, turns] = [performance.now(), process.cpuUsage(), performance.eventLoopUtilization()];
for (let at = 0; at < 5; at++) blocks.push(await block(seconds * 200));
const spent = process.cpuUsage(cpu);
/** Cores that this process kept busy, and of one the thread that makes the calls. */
const cores = {
  busy: (spent.user + spent.system) / 1000 / (performance.now() - start),
  feeder: performance.eventLoopUtilization(turns).utilization,
  all: availableParallelism(),
};
await send({ blocks, models: asked.length, cores });
await close();
process.disconnect?.();
