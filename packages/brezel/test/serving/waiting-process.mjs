// Child process of delayed-batching.test.ts. Only a waiting row keeps the process alive.
import { createFlour, createRuntime } from 'brezel';

const flour = await createFlour();
const words = flour
  .columns({ text: 'string' })
  .select('text')
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] });
const compiled = words.linear({ weights: [1, -1] }).plan();
const runtime = createRuntime({ store: flour.store, latencies: true, eventLoopLag: true });
const plan = runtime.register(compiled, { batching: { maxDelayMs: 5 } });
const answers = await Promise.all([runtime.predict(plan, 'good'), runtime.predict(plan, 'bad')]);
const patient = runtime.register(compiled, { batching: { maxDelayMs: 1000 } });
const controller = new AbortController();
const aborted = runtime.predict(patient, 'good', { signal: controller.signal });
controller.abort();
await aborted.catch(() => {});
const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
process.on('exit', () => console.log(JSON.stringify({ answers, timers })));
