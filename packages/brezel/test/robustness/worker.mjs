// A worker thread of workers.test.ts. It imports all modules again, predicts, and sends a digest of
// its answers.
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { createFlour, createRuntime, importOnnx } from 'brezel';

const { model, texts, rounds } = workerData;
const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const digests = new Set();
let engine = '';
for (let round = 0; round < rounds; round++) {
  const { program } = importOnnx(model, flour);
  const plan = program.plan();
  const registered = runtime.register(plan);
  plan.release();
  flour.dispose();
  engine = registered.engine;
  const [input] = program.inputs;
  const rows = texts.map((text) => ({ [input.name]: input.type.kind === 'scalar' ? text : [text] }));
  const single = rows.map((row) => runtime.predictSync(registered, row));
  const batch = await runtime.predictBatch(registered, rows);
  for (const answers of [single, batch])
    digests.add(createHash('sha256').update(JSON.stringify(answers)).digest('hex'));
  // The end of the thread must release the last plan.
  if (round < rounds - 1) runtime.unregister(registered);
}
parentPort.postMessage({ digests: [...digests], engine });
