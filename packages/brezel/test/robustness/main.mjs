import { once } from 'node:events';
// A process of workers.test.ts. It runs one model in several workers at the same time, and prints
// their reports. The process must exit without a call of `process.exit`.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { createFlour, createRuntime, importOnnx, loadNative } from 'brezel';

const [, , file, mode, count] = process.argv;
const model = readFileSync(file);
const words = [
  'good',
  'bad',
  'not',
  'very',
  'film',
  'été',
  '日本',
  '😀',
  '\0',
  '\ud800',
  'İstanbul',
  'x'.repeat(80),
  '.',
  ',',
];
const texts = Array.from({ length: 300 }, (_, text) =>
  Array.from({ length: text % 23 }, (_, at) => words[(text * 7 + at * at) % words.length]).join(' '),
);
const before = loadNative().addon?.parameterStats();

// The main thread registers the model, too. Workers share its parameters, and must not move or free
// them.
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
// Holds the program, because its leases could otherwise be collected between two counts.
const { program } = importOnnx(model, flour);
const plan = program.plan();
const registered = runtime.register(plan);
const held = loadNative().addon?.parameterStats();

const workers = Array.from(
  { length: Number(count) },
  () => new Worker(new URL('./worker.mjs', import.meta.url), { workerData: { model, texts, rounds: 3 } }),
);
if (mode === 'terminate') {
  // The workers are in the middle of imports and predictions.
  await Promise.all(
    workers.map(async (worker, at) => {
      await once(worker, 'online');
      for (let turn = 0; turn < at * 10; turn++) await new Promise(setImmediate);
      await worker.terminate();
    }),
  );
  console.log(JSON.stringify({ before, held, after: loadNative().addon?.parameterStats(), texts: texts.length }));
} else {
  const results = await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve, reject) => {
          let message;
          worker.on('message', (one) => (message = one));
          worker.on('error', reject);
          worker.on('exit', (code) => (code === 0 ? resolve(message) : reject(new Error(`worker exit code ${code}`))));
        }),
    ),
  );
  console.log(JSON.stringify({ before, held, after: loadNative().addon?.parameterStats(), results }));
}
if (program.inputs.length === 0) throw new Error('a model without inputs');
if (mode === 'release') {
  runtime.unregister(registered);
  plan.release();
  flour.dispose();
  console.log(JSON.stringify(loadNative().addon?.parameterStats() ?? null));
}
