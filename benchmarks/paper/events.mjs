// G14: what a prediction costs beside its work, by way of promises and in bulk: a pipeline of one multiplication. And an event of the native scheduler.
import { createFlour, createRuntime } from 'brezel';
import { features } from '../lib/features.mjs';
import { binds, goal, isQuick, measure, missing, short } from '../lib/report.mjs';
import { schedulerEvents } from '../lib/scheduler-events.mjs';
import { summary } from '../lib/stats.mjs';

const ROUNDS = isQuick ? 5 : 50;
const CALLS = isQuick ? 500 : 10_000;
const BULK = isQuick ? 2_000 : 100_000;
const EVENTS = isQuick ? 1_000 : 100_000;

const flour = await createFlour();
const plan = flour
  .columns({ x: 'float32' })
  .select('x')
  .scale({ offset: [1], scale: [2] })
  .plan();
/** @param {Record<string, unknown>} options */
function serve(options) {
  const runtime = createRuntime({ store: flour.store, ...options });
  return { runtime, registered: runtime.register(plan) };
}

/** ns an item, over rounds. @param {number} items @param {() => Promise<unknown>} call */
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

const rows = Array.from({ length: BULK }, (_, at) => ({ x: at }));
const inline = serve(features.executors ? { executors: 0 } : {});
const few = rows.slice(0, CALLS);
const single = await nanoseconds(few.length, () =>
  Promise.all(few.map((row) => inline.runtime.predict(inline.registered, row))),
);
measure('predict, many at once, a promise each', 'ns', single);
goal({
  goal: 'G14',
  part: 'submit',
  measured: single.median / 1000,
  min: single.min / 1000,
  max: single.max / 1000,
  unit: 'µs',
  note: 'a predict call on the calling thread, promise and answer object included',
});
/** What JavaScript takes to read the rows and make the answer objects, with nothing in between. */
const objects = await nanoseconds(rows.length, async () => {
  const inputs = Float32Array.from(rows, ({ x }) => x);
  return Array.from(inputs, (x) => ({ scale: [(x - 1) * 2] }));
});
measure(`reading ${BULK} rows and making their answer objects, in JavaScript`, 'ns', objects);
binds(
  'G14',
  'submit and promise, JavaScript',
  `a promise and a microtask for each call, beside ${short(objects.median)} ns for its row and answer object; ${short(single.median)} ns in all`,
);
/** @type {Record<string, number>} ns a row */
const bulks = {};
for (const executors of features.executors ? [0, 1] : [undefined]) {
  const { runtime, registered } = serve(executors === undefined ? {} : { executors });
  const bulk = await nanoseconds(rows.length, () => runtime.predictBatch(registered, rows));
  const where = executors ? `${executors} executor` : 'calling thread';
  measure(`predictBatch of ${BULK} rows, ${where}`, 'ns', bulk);
  bulks[where] = bulk.median;
  if (executors === 1 || !features.executors)
    goal({
      goal: 'G14',
      part: 'bulk row',
      measured: bulk.median,
      min: bulk.min,
      max: bulk.max,
      unit: 'ns',
      note: `a row of predictBatch, ${where}, reading it and making its answer object included`,
    });
  await runtime.close();
}
await inline.runtime.close();
binds(
  'G14',
  'a row in bulk',
  `reading a row and making its answer object takes ${short(objects.median)} ns in JavaScript alone, with nothing in between; ` +
    `${Object.entries(bulks)
      .map(([where, ns]) => `${short(ns)} by predictBatch on the ${where.replace(/^1/, 'one')}`)
      .join(', ')}: what the way to an executor costs is the difference`,
);
nativeEvents();

/** The native scheduler by itself: what an event costs from its submission until it is taken back. */
function nativeEvents() {
  const events = schedulerEvents(EVENTS);
  if ('why' in events) return missing('a stage event, native (G14)', events.why);
  const [alone, more] = [summary(events['alone 1']), summary(events['alone 5'])];
  measure('a stage event, plan of 1 stage, submitter and executor in turns', 'ns', alone);
  measure('a stage event, plan of 5 stages, submitter and executor in turns', 'ns', more);
  measure('a stage event, plan of 1 stage, executor in a thread of its own', 'ns', summary(events['together 1']));
  measure('a stage event, plan of 5 stages, executor in a thread of its own', 'ns', summary(events['together 5']));
  binds(
    'G14',
    'a stage event, native',
    `${alone.median.toFixed(0)} ns in plans of one stage, ${more.median.toFixed(0)} in plans of 5, where the way in and out is shared`,
  );
  goal({
    goal: 'G14',
    part: 'stage event',
    measured: alone.median,
    min: alone.min,
    max: alone.max,
    unit: 'ns',
    note: `a chunk of one row and one stage: submitted, run (a kernel of three multiplications), completed, taken back; ${more.median.toFixed(0)} ns in plans of 5 stages`,
  });
}
