// Child process of allocations.long.test.ts. It measures what predictions allocate after a warm-up.
// It prints JSON: for each way to predict, the allocations over BREZEL_PREDICTIONS rows, and the
// sizes of the heap and of the process before and after.
import { readFileSync } from 'node:fs';
import { createFlour, createRuntime } from 'brezel';

const ROWS = Number(process.env.BREZEL_PREDICTIONS);
const BATCH = 5000;

function counted() {
  const { buffer, byteOffset } = readFileSync(process.env.BREZEL_ALLOCATIONS);
  const [addonNew, addonMap, malloc, map] = [...new BigUint64Array(buffer.slice(byteOffset, byteOffset + 32))].map(
    Number,
  );
  return { addonNew, addonMap, malloc, map };
}

function held() {
  for (let round = 0; round < 3; round++) global.gc();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  return { heapUsed, external, arrayBuffers, rss };
}

const flour = await createFlour();
const words = ['good', 'bad', 'film', 'not', 'very', 'été'];
const vocabulary = words.map((word) => [word]);
const weights = words.map((_, at) => at / 7);
const compiled = flour
  .columns({ text: 'string' })
  .select('text')
  .tokenize()
  .wordNgram({ vocabulary })
  .linear({ weights, bias: 1 })
  .plan();
const texts = Array.from({ length: BATCH }, (_, n) => words.slice(n % 6).join(' '));

async function measure(name, options, predict) {
  const runtime = createRuntime({ store: flour.store, ...options });
  // Declares a cost that sends batches to executors.
  const plan = runtime.register({ ...compiled, nanosPerRow: 2000 });
  const some = predict(runtime, plan);
  for (let at = 0; at < 60; at++) await some();
  const [heldBefore, before] = [held(), counted()];
  for (let rows = 0; rows < ROWS; rows += BATCH) await some();
  const after = counted();
  const allocated = Object.fromEntries(Object.entries(after).map(([what, count]) => [what, count - before[what]]));
  const { grows, vectorsMade, rows } = runtime.stats().executors.shared;
  const result = { name, allocated, before: heldBefore, after: held(), executors: { grows, vectorsMade, rows } };
  await runtime.close();
  return result;
}

const out = new Float64Array(compiled.outputs.length);
const row = { text: '' };
const inline = { executors: 0 };
const ways = [
  await measure('predictSync into an array', inline, (runtime, plan) => () => {
    for (const text of texts) {
      row.text = text;
      runtime.predictSync(plan, row, out);
    }
  }),
  await measure('predictSync', inline, (runtime, plan) => () => {
    for (const text of texts) runtime.predictSync(plan, text);
  }),
  await measure(
    'predictBatch on the calling thread',
    inline,
    (runtime, plan) => () => runtime.predictBatch(plan, texts),
  ),
  await measure(
    'predictBatch on an executor',
    { executors: 1 },
    (runtime, plan) => () => runtime.predictBatch(plan, texts),
  ),
];
flour.dispose();
process.stdout.write(JSON.stringify({ addonNew: counted().addonNew, ways }));
