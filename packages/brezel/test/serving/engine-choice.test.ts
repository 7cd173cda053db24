import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createFlour, type EngineChoice, type EngineName, type PredictionMessage, type RegisterOptions } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const owned = flour
  .columns({ text: 'string' })
  .select('text')
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .linear({ weights: [1, -1] })
  .plan();
const costing = (nanosPerRow: number) => ({ ...owned, nanosPerRow });
const all = runtimes(flour);
const rows = (count: number) => Array.from({ length: count }, (_, at) => 'good '.repeat(at % 7));
const answers = (count: number) => Array.from({ length: count }, (_, at) => ({ output: [at % 7] }));

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  owned.release();
  flour.dispose();
});

/** Returns the engine choices of the calls in `run`, from the channel messages. */
async function choices(run: () => Promise<unknown>): Promise<(EngineChoice | undefined)[]> {
  const seen: (EngineChoice | undefined)[] = [];
  const listener = (message: unknown) => void seen.push((message as PredictionMessage).choice);
  subscribe('brezel:predict:start', listener);
  try {
    await run();
  } finally {
    unsubscribe('brezel:predict:start', listener);
  }
  return seen;
}

describe.each(all)('%s', (_, runtime) => {
  // The runtime multiplies the declared cost of a plan by the measured factor of the engine.
  const register = (nanosPerRow: number, options?: RegisterOptions) => {
    const plan = runtime.register(costing(1000), options);
    runtime.unregister(plan);
    return runtime.register(costing((nanosPerRow * 1000) / plan.nanosPerRow), options);
  };

  test.each([
    ['few rows of little work', 16, 3000, 'request-response'],
    ['many rows', 17, 10, 'batch'],
    ['much work', 16, 4000, 'batch'],
    ['few rows of little work', 0, 4000, 'request-response'],
  ] as const)('auto, %s: %i of %i ns', async (reason, count, nanosPerRow, engine) => {
    const plan = register(nanosPerRow);
    const [choice, ...others] = await choices(async () => {
      expect(await runtime.predictBatch(plan, rows(count), { engine: 'auto' })).toEqual(answers(count));
    });
    expect(others).toEqual([]);
    expect(choice).toMatchObject({ asked: 'auto', engine, reason, queuedRows: 0 });
    expect(choice!.expectedNanoseconds).toBeCloseTo(count * plan.nanosPerRow, 3);
    runtime.unregister(plan);
  });

  test('a row runs immediately, or in a separate turn if it is expensive or other rows wait', async () => {
    const [short, middle, long] = [100, 5e5, 2e6].map((nanos) => register(nanos, { engine: 'auto' }));
    const alone = await choices(async () => {
      for (const plan of [short!, middle!, long!]) expect(await runtime.predict(plan, 'good')).toEqual({ output: [1] });
    });
    expect(alone.map((choice) => choice!.engine)).toEqual(['request-response', 'request-response', 'batch']);
    const busy = await choices(async () => {
      const waiting = runtime.predictBatch(long!, rows(5), { engine: 'batch' });
      const told = [runtime.predict(short!, 'good'), runtime.predict(middle!, 'good')];
      expect(await Promise.all(told)).toEqual([{ output: [1] }, { output: [1] }]);
      expect(await waiting).toEqual(answers(5));
    });
    const shapes = busy.map((choice) => [choice!.engine, choice!.reason, choice!.queuedRows]);
    expect(shapes.toSorted()).toEqual(
      [
        ['batch', 'requested', 0],
        ['batch', 'other rows wait', 5],
        ['request-response', 'a short row', 5],
      ].toSorted(),
    );
    for (const plan of [short!, middle!, long!]) runtime.unregister(plan);
  });

  test('the option of the call comes before the option of the plan; without both, rows run immediately and batches in blocks', async () => {
    const [plain, atOnce] = [register(100), register(100, { engine: 'request-response' })];
    const seen = await choices(async () => {
      await runtime.predict(plain, 'good');
      await runtime.predictBatch(plain, ['good']);
      await runtime.predictBatch(atOnce, ['good']);
      await runtime.predictBatch(atOnce, ['good'], { engine: 'reference' });
      await runtime.predict(atOnce, 'good', { engine: 'batch' });
    });
    expect(seen.map((choice) => [choice!.asked, choice!.engine])).toEqual([
      [undefined, 'request-response'],
      [undefined, 'batch'],
      ['request-response', 'request-response'],
      ['reference', 'reference'],
      ['batch', 'batch'],
    ]);
    for (const plan of [plain, atOnce]) runtime.unregister(plan);
  });

  test('delayed batching gathers rows, unless request-response is requested', async () => {
    const plan = register(100, { engine: 'auto', batching: { maxDelayMs: 0 } });
    const seen = await choices(async () => {
      await Promise.all([runtime.predict(plan, 'good'), runtime.predict(plan, 'good', { engine: 'request-response' })]);
    });
    expect(seen.map((choice) => choice!.reason).sort()).toEqual(['gathered with other calls', 'requested']);
    expect(runtime.stats().plans.find(({ name }) => name === plan.name)!.batching).toMatchObject({ rows: 1 });
    runtime.unregister(plan);
  });

  test('the bits do not depend on the engine', async () => {
    const plan = register(100, { cache: { maxBytes: 4096 } });
    for (const engine of ['request-response', 'batch', 'auto', 'reference'] as const)
      for (const count of [1, 15, 40])
        expect(await runtime.predictBatch(plan, rows(count), { engine })).toEqual(answers(count));
    runtime.unregister(plan);
  });

  test('unknown engines', async () => {
    const plan = register(100);
    const code = 'ERR_RUNTIME_ENGINE';
    await expect(runtime.predict(plan, 'good', { engine: 'reference' as never })).rejects.toMatchObject({ code });
    await expect(runtime.predictBatch(plan, ['good'], { engine: 'gpu' as EngineName })).rejects.toMatchObject({ code });
    for (const engine of ['reference', 'inline'])
      expect(() => runtime.register(owned, { engine: engine as never })).toThrow('request-response, batch or auto');
    runtime.unregister(plan);
  });
});
