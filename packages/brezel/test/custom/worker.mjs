// Worker thread or process of fleet.test.ts. It opens a fleet with or without its operators, and
// answers rows.
import { parentPort, workerData } from 'node:worker_threads';
import { createRuntime, openFleet } from 'brezel';

const { path, texts, operators } = workerData;
if (operators) await import('./fleet-operators.mjs');
try {
  const fleet = await openFleet(path);
  const runtime = createRuntime({ store: fleet.store });
  const plan = runtime.register(fleet.plan('scores'));
  parentPort.postMessage({ engine: plan.engine, answers: texts.map((text) => runtime.predictSync(plan, text)) });
} catch (error) {
  parentPort.postMessage({ code: error.code, message: error.message, hint: error.hint });
}
