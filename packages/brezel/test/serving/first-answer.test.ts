import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createFlour, type RegisteredPlan, type Runtime } from 'brezel';
import { afterAll, describe, expect, it } from 'vitest';
import { runtimes } from './runtimes.js';

const CHANNEL = 'brezel.firstAnswer';
const flour = await createFlour();
const compiled = flour.program({ y: flour.columns({ a: 'float32' }).select('a').map('abs') }).plan();
const all = runtimes(flour);
afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  compiled.release();
  flour.dispose();
});

const verbs: Record<string, (runtime: Runtime, plan: RegisteredPlan) => unknown> = {
  predictSync: (runtime, plan) => runtime.predictSync(plan, { a: -2 }),
  predict: (runtime, plan) => runtime.predict(plan, { a: -2 }),
  'predict in the queue': (runtime, plan) => runtime.predict(plan, { a: -2 }, { engine: 'batch' }),
  predictBatch: (runtime, plan) => runtime.predictBatch(plan, [{ a: -2 }]),
};

describe.each(all)('the first answer of a plan, %s', (name, runtime) => {
  it.each(Object.entries(verbs))('is announced once: %s', async (verb, predict) => {
    const announced: unknown[] = [];
    const listener = (message: unknown) => announced.push(message);
    subscribe(CHANNEL, listener);
    const plan = runtime.register(compiled, { name: `${name} ${verb}` }) as RegisteredPlan;
    try {
      expect(() => runtime.predictSync(plan, { a: 'text' } as never)).toThrow(
        expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }),
      );
      expect(announced).toEqual([]);
      const first = await predict(runtime, plan);
      expect(announced).toEqual([{ plan: plan.name }]);
      expect(await predict(runtime, plan)).toEqual(first);
      expect(announced).toHaveLength(1);
    } finally {
      unsubscribe(CHANNEL, listener);
      runtime.unregister(plan);
    }
  });
});
