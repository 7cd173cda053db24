// Measures the cost of features around a plan: one call, routes of the registry, the prediction
// cache, delayed batching, latencies, channels, streams. Calls with the feature alternate with
// calls without it.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createFlour, createRegistry, createRuntime } from 'brezel';
import { Bench } from 'tinybench';
import { openBrezel } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { isQuick, measure, say, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { forestFile, naturalFile } from '../models/files.mjs';
import { FEATURES, forestRows } from '../models/forests.mjs';
import { reviews } from '../models/reviews.mjs';

const ROUNDS = isQuick ? 4 : 60;
const CALLS = isQuick ? 50 : 500;
/** The number of calls that are timed together, because one call is too short for the clock. */
const SHORT_CALLS = isQuick ? 2_000 : 50_000;
const BURST = 64;
const TEXTS = 500;
const ROWS = 1000;
const ROUTES = 1000;

export const experiments = {
  async calls() {
    const flour = await createFlour();
    const words = flour.columns({ text: 'string' }).select('text').tokenize();
    const counts = words.wordNgram({ vocabulary: [['good'], ['bad']] });
    await boundary(flour, counts);
    await routes(flour, counts);
    await observation(flour, counts);
    flour.dispose();
    await cache();
    await batching();
  },
};

/** @typedef {import('brezel').FlourContext} Flour */
/**
 * The functions to compare, by name.
 *
 * @typedef {Record<string, () => void>} Ways
 */

/**
 * Measures the nanoseconds per call of each function in `ways`. The functions alternate: in each
 * round, each function makes many calls. The result is the median of all rounds.
 *
 * @param {string} what
 * @param {Ways} ways
 */
function inBlocks(what, ways) {
  const blocks = isQuick ? 5 : 41;
  /** @type {Record<string, number[]>} */
  const nanoseconds = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let block = 0; block < blocks + 2; block++) {
    for (const [name, call] of Object.entries(ways)) {
      const start = process.hrtime.bigint();
      for (let turn = 0; turn < SHORT_CALLS; turn++) call();
      // The first two blocks warm up.
      if (block >= 2) nanoseconds[name].push(Number(process.hrtime.bigint() - start) / SHORT_CALLS);
    }
  }
  for (const [name, list] of Object.entries(nanoseconds)) measure(`${what}: ${name}`, 'ns', summary(list));
}

/**
 * Measures the µs per row of each contestant. Compares the first contestant with each of the
 * others.
 *
 * @param {string} what
 * @param {import('../harness/loops.mjs').Contestant[]} contestants
 * @param {number} [rows] per call
 */
async function alternate(what, contestants, rows = 1) {
  const times = await interleave(contestants, { rounds: ROUNDS });
  const [base] = contestants;
  for (const { name } of contestants) {
    const { median, p99, min, max, samples } = times[name];
    const [scale, unit] = [1 / rows, rows === 1 ? 'µs' : 'µs a row'];
    const scaled = { median: median * scale, p99: p99 * scale, min: min * scale, max: max * scale, samples };
    measure(`${what}: ${name}`, unit, scaled);
    if (name !== base.name) say(`  ${short(timesFaster(times[base.name], times[name]).ratio)}x of ${base.name}`);
  }
}

/**
 * Measures calls with short and long texts, to find how much time the call from JavaScript into the
 * addon takes.
 *
 * @param {Flour} flour
 * @param {any} counts
 */
async function boundary(flour, counts) {
  const runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(counts.logistic({ weights: [2, -2] }).plan());
  const out = new Float64Array(plan.width);
  const [review] = reviews(1);
  const row = { text: 'a good film' };
  const bytesRow = { text: new TextEncoder().encode(review) };
  await eachCall(`predictSync, two-word dictionary (${plan.engine})`, {
    'nothing (the cost of measuring)': () => {},
    'empty text, out-array': () => void runtime.predictSync(plan, '', out),
    'empty text, answer object': () => void runtime.predictSync(plan, ''),
    '3 words, out-array': () => void runtime.predictSync(plan, 'a good film', out),
    '3 words as a row object, answer object': () => void runtime.predictSync(plan, row),
    '100 words, out-array': () => void runtime.predictSync(plan, review, out),
    '100 words as UTF-8 bytes in a row object, out-array': () => void runtime.predictSync(plan, bytesRow, out),
  });
  await runtime.close();
}

/**
 * Measures single calls of each function with tinybench, including the p99.
 * @param {string} what
 * @param {Ways} ways
 */
async function eachCall(what, ways) {
  const bench = new Bench({ time: isQuick ? 50 : 1000, warmupTime: isQuick ? 20 : 200 });
  for (const [name, call] of Object.entries(ways)) bench.add(name, call);
  await bench.run();
  for (const { name, result } of bench.tasks) {
    if (result.state !== 'completed')
      throw new Error(`${name}: ${result.state}`, { cause: /** @type {{ error?: unknown }} */ (result).error });
    const { p50, p99, min, max, samplesCount: samples } = result.latency;
    const nanoseconds = { median: p50 * 1e6, p99: p99 * 1e6, min: min * 1e6, max: max * 1e6, samples };
    measure(`${what}: ${name}`, 'ns', nanoseconds);
  }
}

/**
 * Measures predictions that look up a model by its name in a registry, and predictions that use a
 * registered plan directly.
 *
 * @param {Flour} flour
 * @param {any} counts
 */
async function routes(flour, counts) {
  const plans = [1, 2].map((bias) => counts.logistic({ weights: [2, -2], bias }).plan());
  const runtime = createRuntime({ store: flour.store });
  const handle = runtime.register(plans[0]);
  const registry = await createRegistry({ runtime });
  for (let model = 0; model < ROUTES; model++) for (const plan of plans) registry.add(`model ${model}`, plan);
  registry.canary('model 500', { to: 2, percent: 10 });
  const out = new Float64Array(handle.width);
  const options = { out };
  const keyed = { out, key: 'user 7' };
  inBlocks(`predictSync of an empty text (${handle.engine})`, {
    'by a handle': () => void runtime.predictSync(handle, '', out),
    'by a version': () => void registry.predictSync('model 500@1', '', options),
    'by an alias': () => void registry.predictSync('model 7', '', options),
    'by an alias with a canary': () => void registry.predictSync('model 500', '', options),
    'by an alias with a canary, by key': () => void registry.predictSync('model 500', '', keyed),
  });
  await registry.close();
  await runtime.close();
}

/**
 * Measures how much slower calls become with the option `latencies`, and with subscribers of the
 * diagnostics channels.
 * @param {Flour} flour
 * @param {any} counts
 */
async function observation(flour, counts) {
  const compiled = counts.logistic({ weights: [2, -2] }).plan();
  const [unobserved, sampled, observed] = [undefined, true, { sampleEvery: 1 }].map((latencies) => {
    const runtime = createRuntime({ store: flour.store, latencies });
    const plan = runtime.register(compiled);
    return () => runtime.predictSync(plan, 'a good film');
  });
  const repeated = (/** @type {() => unknown} */ predict) => () => {
    for (let call = 0; call < BURST; call++) predict();
  };
  const ignore = () => {};
  const subscribed = () => {
    subscribe('brezel:predict:end', ignore);
    for (let call = 0; call < BURST; call++) unobserved();
    unsubscribe('brezel:predict:end', ignore);
  };
  await alternate(
    'predictSync, two-word dictionary, 3 words',
    [
      { name: 'unobserved', calls: CALLS, call: repeated(unobserved) },
      { name: 'latencies, one call in 8', calls: CALLS, call: repeated(sampled) },
      { name: 'latencies, every call', calls: CALLS, call: repeated(observed) },
      { name: 'a subscriber of brezel:predict:end', calls: CALLS, call: subscribed },
    ],
    BURST,
  );
}

/** Measures the prediction cache. */
async function cache() {
  const size = isQuick ? '10k' : '1M';
  const { runtime, load } = await openBrezel({ runtime: { materialization: undefined } });
  const plain = await load(naturalFile(size));
  const cached = await load(naturalFile(size), { cache: { maxBytes: 64 * 2 ** 20 } });
  /**
   * Texts as bytes, as they arrive from the network. Decoding a text creates a string whose hash V8
   * has not computed yet.
   */
  const bytes = reviews(TEXTS).map((text) => Buffer.from(text));
  const freshText = (/** @type {number} */ index) => bytes[index % TEXTS].toString();
  for (let index = 0; index < TEXTS; index++) runtime.predictSync(cached, freshText(index));
  let unseen = 0;
  await alternate(`predictSync, SA of ${size} entries, texts of 100 words`, [
    { name: 'no cache', calls: CALLS, call: (index) => runtime.predictSync(plain, freshText(index)) },
    { name: 'cache hit', calls: CALLS, call: (index) => runtime.predictSync(cached, freshText(index)) },
    {
      name: 'cache miss',
      calls: CALLS,
      call: (index) => runtime.predictSync(cached, `${freshText(index)} ${unseen++}`),
    },
  ]);
  await runtime.close();
}

/** Measures delayed batching and streams. */
async function batching() {
  const { runtime, load } = await openBrezel({ runtime: { materialization: undefined } });
  const values = forestRows(ROWS);
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    x: Float64Array.from(values.subarray(row * FEATURES, (row + 1) * FEATURES)),
  }));
  const alone = await load(forestFile(500, 8));
  const batched = await load(forestFile(500, 8), { batching: { maxDelayMs: 0, maxBatch: BURST } });
  const burst = (/** @type {import('brezel').RegisteredPlan} */ plan) => (/** @type {number} */ index) =>
    Promise.all(Array.from({ length: BURST }, (_, row) => runtime.predict(plan, rows[(index * BURST + row) % ROWS])));
  const calls = Math.max(5, CALLS / 50);
  await alternate(
    `forest of 500 trees of depth 8, ${BURST} predict calls at once`,
    [
      { name: 'each at once', calls, isAsync: true, call: burst(alone) },
      { name: 'delayed batching, maxDelayMs 0', calls, isAsync: true, call: burst(batched) },
    ],
    BURST,
  );
  async function* source() {
    yield* rows;
  }
  const readStream = async () => {
    let taken = 0;
    for await (const _answer of runtime.predictStream(alone, source())) taken++;
    return taken;
  };
  await alternate(
    'the same forest, 1000 rows',
    [
      { name: 'predictBatch', calls: 2, isAsync: true, call: () => runtime.predictBatch(alone, rows) },
      { name: 'predictStream from an asynchronous generator', calls: 2, isAsync: true, call: readStream },
    ],
    ROWS,
  );
  await runtime.close();
}
