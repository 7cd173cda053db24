// Child process of soak.long.test.ts. It calls a runtime and a registry in many ways for
// SOAK_MINUTES, and prints JSON: for each sample, the calls so far and the resident memory.
import { setTimeout as wait } from 'node:timers/promises';
import { createFlour, createRegistry, createRuntime, vector } from 'brezel';

const MINUTES = Number(process.env.SOAK_MINUTES);
const SAMPLES = 60;
const MODEL = new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url).pathname;

/** Resident memory without the free pages of V8's heap, which V8 returns when it chooses. */
async function residentBytes() {
  for (let round = 0; round < 3; round++) {
    global.gc();
    await wait(10);
  }
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  return rss - (heapTotal - heapUsed);
}

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, executors: 1 });
const compiled = flour
  .input('x', vector('float32', 4))
  .linear({ weights: [1, 2, 3, 4], bias: 1 })
  .plan();
const plan = runtime.register(compiled, { name: 'numbers', cache: { maxBytes: 2 ** 16 } });
const registry = await createRegistry({ runtime });
registry.add('text', MODEL);
await registry.load('text');

const texts = Array.from(
  { length: 1000 },
  (_, index) => `a film number ${index * 7919} that ${index % 13} people like`,
);
const rows = texts.map((_, index) => ({ x: [index, index % 7, 1, 2] }));
const codes = new Map();
let [calls, turn] = [0, 0];

/** Counts a call that must fail. */
async function refused(call) {
  try {
    await call();
  } catch (error) {
    const code = error.code ?? error.name;
    codes.set(code, (codes.get(code) ?? 0) + 1);
    return;
  }
  throw new Error('a call that must fail has returned');
}

/** The ways to call. Each returns the number of its calls. */
const ways = [
  () => {
    for (const text of texts) registry.predictSync('text', text);
    return texts.length;
  },
  async () => {
    for (let at = 0; at < 200; at++) await registry.predict('text', texts[(at + turn) % 1000]);
    return 200;
  },
  async () => {
    await Promise.all(rows.slice(0, 200).map((row) => runtime.predict(plan, row)));
    return 200;
  },
  async () => {
    await registry.predictBatch('text', texts);
    await runtime.predictBatch(plan, rows);
    return 2;
  },
  async () => {
    let answers = 0;
    for await (const _ of runtime.predictStream(plan, rows)) answers++;
    return answers;
  },
  async () => {
    const abort = new AbortController();
    const batch = registry.predictBatch('text', texts, { signal: abort.signal });
    abort.abort();
    await batch.catch(() => undefined); // the batch may have ended first
    await refused(() => runtime.predict(plan, { x: [1] }));
    await refused(() => runtime.predictBatch(plan, [rows[0], { x: 'text' }]));
    await refused(() => registry.predict('missing', 'text'));
    return 4;
  },
  async () => {
    const other = runtime.register(compiled, { name: 'again' });
    runtime.predictSync(other, rows[turn % 1000]);
    runtime.unregister(other);
    return 3;
  },
];

/** Calls in all ways until a time. */
async function callUntil(end) {
  while (performance.now() < end) calls += await ways[turn++ % ways.length]();
}

const start = performance.now();
const samples = [];
for (let sample = 1; sample <= SAMPLES; sample++) {
  await callUntil(start + (sample / SAMPLES) * MINUTES * 60_000);
  samples.push({ calls, bytes: await residentBytes() });
}
await registry.close();
await runtime.close();
compiled.release();
flour.dispose();
process.stdout.write(
  JSON.stringify({ samples, codes: Object.fromEntries(codes), references: flour.store.stats().references }),
);
