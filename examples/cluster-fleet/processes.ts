import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, openFleet } from 'brezel/serve';

const models = new URL('../../models/', import.meta.url);

/** Packs the models once, then starts the workers and prints their answers. */
export async function startServing(workers: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-cluster-'));
  const file = join(folder, 'fleet.brezel');
  await pack(file);
  const processes = Array.from({ length: workers }, () => cluster.fork({ FLEET: file }));
  const answers = await Promise.all(processes.map((worker) => once(worker, 'message')));
  for (const [index, [message]] of answers.entries()) console.log(`worker ${index + 1}: ${message}`);
  for (const worker of processes) worker.send('stop');
  await Promise.all(processes.map((worker) => once(worker, 'exit')));
  rmSync(folder, { recursive: true });
  console.log('all workers stopped');
}

/** Serves the fleet file in a worker process. It loads neither importers nor the compiler. */
export async function serve(): Promise<void> {
  const fleet = await openFleet(process.env.FLEET!, { verify: false }); // the primary wrote it
  const runtime = createRuntime({ store: fleet.store });
  const plans = fleet.names.map((name) => runtime.register(fleet.plan(name)));
  const labels = plans.map((plan) => runtime.predictSync(plan, { text: 'a charming little film' }).label);
  process.send!(`${plans.length} models of one file, ${labels.filter((label) => label === 1).length} say positive`);
  await once(process, 'message');
  await runtime.close();
  fleet.close();
  process.disconnect();
}

/** Compiles all models into one file. A build step would do this; `brezel pack` does the same. */
async function pack(file: string): Promise<void> {
  const { createFlour, importOnnx, packFleet } = await import('brezel');
  using flour = await createFlour();
  const plans = readdirSync(models)
    .filter((name) => name.endsWith('.onnx'))
    .map((name) => importOnnx(readFileSync(new URL(name, models)), flour, { name: name.replace('.onnx', '') }))
    .map(({ program }) => program.plan());
  await packFleet(plans, file, { store: flour.store });
}
