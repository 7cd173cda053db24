import { createFlour, defineOperator, type OwnedPlan } from 'brezel';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { busyFor } from '../../../../testing/busy.mjs';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { turns } from '../../../../testing/turns.js';
import { runtimes } from '../serving/runtimes.js';

const flour = await createFlour();
const clock = new ManualClock();
const all = runtimes(flour, { clock, latencies: { stagesEvery: 3 } });
const calls = { slow: 0, last: 0 };
const late = { code: 'ERR_RUNTIME_DEADLINE' };
let onSlow: (() => void) | undefined;

/** Longer than one slice of a batch, so that each row is a separate slice. */
const PIECE_MS = 0.6;

/** Takes one millisecond of the clock for each letter of the text. */
const slow = defineOperator({
  name: 'test-deadline/slow',
  inputs: ['text'],
  output: 'text',
  run: (text) => {
    calls.slow++;
    clock.advance(text.length);
    busyFor(PIECE_MS);
    onSlow?.();
    return text;
  },
});
const last = defineOperator({
  name: 'test-deadline/last',
  inputs: ['text'],
  output: 'float32',
  run: (text) => {
    calls.last++;
    return text.length;
  },
});
const text = flour.columns({ text: 'string' }).select('text');
const plans: Record<string, OwnedPlan> = {
  'one after the other': text.custom(slow).custom(last).plan(),
  'with stages of the addon between': text
    .custom(slow)
    .tokenize()
    .wordNgram({ vocabulary: [['a']] })
    .concat(text.custom(slow).custom(last).asVector())
    .linear({ weights: [1, 1] })
    .plan(),
};

beforeEach(() => {
  calls.slow = 0;
  calls.last = 0;
  onSlow = undefined;
});
afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  for (const plan of Object.values(plans)) plan.release();
  flour.dispose();
});

const cases = all.flatMap(([engine, runtime]) =>
  Object.entries(plans).map(([name, plan]) => [`${engine}, ${name}`, runtime, plan] as const),
);

describe.each(cases)('%s', (name, runtime, compiled) => {
  test.each([
    ['as it is', {}],
    ['with a cache', { cache: { maxBytes: 4096 } }],
  ])('a deadline that passes in an operator: the next operator does not start, %s', async (_, options) => {
    const plan = runtime.register(compiled, { name, ...options });
    const row = 'a'.repeat(15);
    const limits = { deadlineMs: 5 };
    await expect(runtime.predict(plan, row, limits)).rejects.toMatchObject(late);
    await expect(runtime.predict(plan, row, { ...limits, engine: 'batch' })).rejects.toMatchObject(late);
    for (const engine of ['request-response', 'batch', 'reference'] as const)
      await expect(runtime.predictBatch(plan, [row], { ...limits, engine })).rejects.toMatchObject(late);
    expect(calls.last).toBe(0);
    // There are fewer calls if the deadline passed before the batch started.
    expect(calls.slow).toBeLessThanOrEqual(5);
    await runtime.predict(plan, 'aa', { deadlineMs: 60_000 });
    expect(calls.last).toBe(1);
    expect(runtime.stats().plans.find((one) => one.name === name)!.calls).toMatchObject({ limited: 5, failed: 0 });
    runtime.unregister(plan);
  });

  test('a signal that aborts in an operator: the next operator does not start', async () => {
    const plan = runtime.register(compiled, { name });
    for (const engine of ['request-response', 'batch'] as const) {
      const controller = new AbortController();
      const reason = new Error('the client is gone');
      onSlow = () => controller.abort(reason);
      await expect(runtime.predict(plan, 'a', { engine, signal: controller.signal })).rejects.toBe(reason);
    }
    expect(calls).toEqual({ slow: 2, last: 0 });
    runtime.unregister(plan);
  });
});

describe.each(all)('%s: rows that take much longer than estimated', (_, runtime) => {
  test.each(['request-response', 'batch'] as const)('end with the deadline, %s', async (engine) => {
    const plan = runtime.register(plans['one after the other']!);
    const rows = Array.from({ length: 200 }, () => 'aa');
    await expect(runtime.predictBatch(plan, rows, { engine, deadlineMs: 20 })).rejects.toMatchObject(late);
    expect(calls.slow).toBe(10); // each call takes 2 ms
    runtime.unregister(plan);
  });

  test('let the event loop run, so that a signal ends them', async () => {
    const plan = runtime.register(plans['one after the other']!);
    const rows = Array.from({ length: 200 }, () => 'aa');
    const controller = new AbortController();
    const { signal } = controller;
    void turns(3).then(() => controller.abort());
    await expect(runtime.predictBatch(plan, rows, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(calls.slow).toBeLessThan(200);
    runtime.unregister(plan);
  });

  test('all have answers without limits', async () => {
    const plan = runtime.register(plans['one after the other']!);
    const rows = Array.from({ length: 300 }, (_, at) => 'a'.repeat(at % 3 === 0 ? 1 : 0));
    const answers = await runtime.predictBatch(plan, rows);
    expect(answers).toEqual(rows.map((row) => ({ output: row.length })));
    expect(calls.last).toBe(300);
    runtime.unregister(plan);
  });
});
