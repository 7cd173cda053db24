// What lies between callers and a plan: the prediction cache, delayed batching, latencies, channels, streams. Each beside the plan without it.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createFlour, createRuntime } from 'brezel';
import { FEATURES, forestRows } from '../lib/forests.mjs';
import { interleave, timesFaster } from '../lib/interleave.mjs';
import { forestFile, naturalFile } from '../lib/model-files.mjs';
import { openServer } from '../lib/ours.mjs';
import { isQuick, measure, say, short } from '../lib/report.mjs';
import { reviews } from '../lib/workload.mjs';

const ROUNDS = isQuick ? 4 : 60;
const CALLS = isQuick ? 50 : 500;
const BURST = 64;
const TEXTS = 500;
const CACHE = { maxBytes: 64 * 2 ** 20 };

/**
 * @param {string} what
 * @param {import('../lib/interleave.mjs').Contestant[]} contestants the first is what the others are compared with
 * @param {number} [rows] that one call answers
 */
async function compare(what, contestants, rows = 1) {
  const times = await interleave(contestants, { rounds: ROUNDS });
  const [base] = contestants;
  for (const { name } of contestants) {
    const { median, p99, min, max, samples } = times[name];
    const [scale, unit] = [1 / rows, rows === 1 ? 'µs' : 'µs a row'];
    measure(`${what}: ${name}`, unit, {
      median: median * scale,
      p99: p99 * scale,
      min: min * scale,
      max: max * scale,
      samples,
    });
    if (name !== base.name) say(`  ${short(timesFaster(times[base.name], times[name]).ratio)}x of ${base.name}`);
  }
}

/** Texts as they come off the network: new strings, whose hashes nobody knows. */
const bytes = reviews(TEXTS).map((text) => Buffer.from(text));
const freshText = (/** @type {number} */ at) => bytes[at % TEXTS].toString();

const { runtime, load } = await openServer();
const size = isQuick ? '10k' : '1M';
const file = naturalFile(size);
const plain = await load(file);
const cached = await load(file, { cache: CACHE });
for (let at = 0; at < TEXTS; at++) runtime.predictSync(cached, freshText(at));
let unseen = 0;
await compare(`predictSync, SA of ${size} entries, texts of 100 words`, [
  { name: 'no cache', calls: CALLS, call: (at) => runtime.predictSync(plain, freshText(at)) },
  { name: 'cache hit', calls: CALLS, call: (at) => runtime.predictSync(cached, freshText(at)) },
  {
    name: 'cache miss',
    calls: CALLS,
    call: (at) => runtime.predictSync(cached, `${freshText(at)} ${unseen++}`),
  },
]);

const flour = await createFlour();
const words = flour.columns({ text: 'string' }).select('text').tokenize();
const compiled = words
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .logistic({ weights: [2, -2] })
  .plan();
const [unobserved, sampled, observed] = [undefined, true, { sampleEvery: 1 }].map((latencies) => {
  const runtime = createRuntime({ store: flour.store, latencies });
  const plan = runtime.register(compiled);
  return () => runtime.predictSync(plan, 'a good film');
});
const ignore = () => {};
/** Somebody listens during the calls of its own contestant only. */
function listened() {
  subscribe('brezel:predict:end', ignore);
  for (let call = 0; call < BURST; call++) unobserved();
  unsubscribe('brezel:predict:end', ignore);
}
const repeated = (/** @type {() => unknown} */ predict) => () => {
  for (let call = 0; call < BURST; call++) predict();
};
await compare(
  'predictSync, two-word dictionary, 3 words',
  [
    { name: 'unobserved', calls: CALLS, call: repeated(unobserved) },
    { name: 'latencies, one call in 8', calls: CALLS, call: repeated(sampled) },
    { name: 'latencies, every call', calls: CALLS, call: repeated(observed) },
    { name: 'a subscriber of brezel:predict:end', calls: CALLS, call: listened },
  ],
  BURST,
);

const values = forestRows(1000);
const rows = Array.from({ length: 1000 }, (_, row) => ({
  x: Float64Array.from(values.subarray(row * FEATURES, (row + 1) * FEATURES)),
}));
const forest = forestFile(500, 8);
const alone = await load(forest);
const gathered = await load(forest, { batching: { maxDelayMs: 0, maxBatch: BURST } });
/** @param {import('brezel').RegisteredPlan} plan */
const burst = (plan) => (/** @type {number} */ at) =>
  Promise.all(Array.from({ length: BURST }, (_, row) => runtime.predict(plan, rows[(at * BURST + row) % rows.length])));
const bursts = Math.max(5, CALLS / 50);
await compare(
  `forest of 500 trees of depth 8, ${BURST} predict calls at once`,
  [
    { name: 'each at once', calls: bursts, isAsync: true, call: burst(alone) },
    { name: 'delayed batching, maxDelayMs 0', calls: bursts, isAsync: true, call: burst(gathered) },
  ],
  BURST,
);

async function* source() {
  yield* rows;
}
async function readStream() {
  let taken = 0;
  for await (const _answer of runtime.predictStream(alone, source())) taken++;
  return taken;
}
await compare(
  'the same forest, 1000 rows',
  [
    { name: 'predictBatch', calls: 2, isAsync: true, call: () => runtime.predictBatch(alone, rows) },
    { name: 'predictStream from an asynchronous generator', calls: 2, isAsync: true, call: readStream },
  ],
  rows.length,
);
