import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { PredictionMessage, RegisteredPlan, Row, Runtime } from 'brezel';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { dear, flour, hasAddon, oneByOne, rejection, runtimeWith, textPlan, textRows } from './fleets.js';

/** Blocks of delayed batching run on executors. */

const compiled = dear(textPlan(), 20);
const rows = textRows(200);
const answers = oneByOne(compiled, rows);
const runtime = runtimeWith(2);
const batching = { maxDelayMs: 1, maxBatch: 100 };
const onExecutors = (of: Runtime = runtime) => of.stats().executors.shared.rows;
const all = (plan: RegisteredPlan, given: readonly Row[], of: Runtime = runtime) =>
  Promise.all(given.map((row) => of.predict(plan, row)));

afterEach(() => {
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
});
afterAll(async () => {
  await runtime.close();
  compiled.release();
  flour.dispose();
});

/** Returns where predictions ran, from their channel messages. */
async function whereabouts(run: () => Promise<unknown>): Promise<unknown[]> {
  const told: unknown[] = [];
  const listener = (message: unknown) => void told.push((message as PredictionMessage).where);
  subscribe('brezel:predict:end', listener);
  await run();
  unsubscribe('brezel:predict:end', listener);
  return told;
}

test.skipIf(!hasAddon)('the trace contains where rows ran', async () => {
  const plan = runtime.register(compiled, { name: 'told', batching });
  const told = await whereabouts(async () => {
    runtime.predictSync(plan, rows[0]!);
    await runtime.predictBatch(plan, rows);
    await runtime.predictBatch(plan, rows.slice(0, 2), { engine: 'auto' });
    await all(plan, rows.slice(0, 100));
    for await (const answer of runtime.predictStream(plan, rows)) expect(answer).toBeDefined();
  });
  expect(told).toEqual(['here', 'executors', 'here', ...new Array(100).fill('executors'), 'executors']);
  runtime.unregister(plan);
});

describe.skipIf(!hasAddon)('a gathered block', () => {
  test('with enough work runs on executors, other blocks do not', async () => {
    const plan = runtime.register(compiled, { name: 'way', batching });
    const before = onExecutors();
    expect(await all(plan, rows)).toEqual(answers);
    expect(onExecutors() - before).toBe(200);
    expect(await all(plan, rows.slice(0, 5))).toEqual(answers.slice(0, 5));
    expect(onExecutors() - before).toBe(200);
    expect(runtime.stats().plans[0]!.batching).toEqual({ blocks: 3, rows: 205, waiting: 0 });
    runtime.unregister(plan);
  });

  test('sends no cached row', async () => {
    const plan = runtime.register(compiled, { name: 'cached', batching, cache: { maxBytes: 2 ** 20 } });
    const before = onExecutors();
    const distinct = new Set(rows).size;
    for (let round = 0; round < 2; round++) expect(await all(plan, rows)).toEqual(answers);
    // Both blocks are in flight at once, so a row in both may run twice.
    expect(onExecutors() - before).toBeGreaterThanOrEqual(distinct);
    expect(onExecutors() - before).toBeLessThanOrEqual(2 * distinct);
    runtime.unregister(plan);
  });

  test('with an invalid row fails this row only', async () => {
    const text = flour.columns({ text: 'string' }).select('text');
    const categories = [...new Set(rows as string[])];
    const colours = dear(flour.program({ y: text.oneHot({ categories, unknown: 'error' }) }).plan(), 20);
    const plan = runtime.register(colours, { name: 'colours', batching });
    const want = oneByOne(colours, rows);
    const before = onExecutors();
    const settled = await Promise.allSettled(rows.with(50, 'no colour').map((row) => runtime.predict(plan, row)));
    expect(onExecutors()).toBeGreaterThan(before);
    for (const [at, one] of settled.entries()) {
      if (at !== 50) expect(one).toEqual({ status: 'fulfilled', value: want[at] });
      else expect(one).toMatchObject({ status: 'rejected', reason: { code: 'ERR_RUNTIME_INPUT' } });
    }
    runtime.unregister(plan);
    colours.release();
  });

  test('continues without an aborted call, and ends with its plan', async () => {
    const plan = runtime.register(compiled, { name: 'ends', batching });
    const controller = new AbortController();
    const aborted = [1, 2, 3].map((at) => rejection(runtime.predict(plan, rows[at]!, { signal: controller.signal })));
    const others = all(plan, rows.slice(0, 97)); // the block is full and in flight
    expect(runtime.stats().plans[0]!.batching).toEqual({ blocks: 1, rows: 100, waiting: 100 });
    controller.abort();
    for (const one of aborted) expect(await one).toMatchObject({ name: 'AbortError' });
    expect(await others).toEqual(answers.slice(0, 97));
    const gone = rows.slice(0, 100).map((row) => rejection(runtime.predict(plan, row)));
    runtime.unregister(plan);
    for (const one of gone) expect(await one).toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
  });

  test('is answered while the runtime drains', async () => {
    const own = runtimeWith(2);
    const plan = own.register(compiled, { batching });
    const calls = all(plan, rows, own);
    await own.close({ drainMs: 10_000 });
    expect(await calls).toEqual(answers);
  });

  test('of one row runs on reserved executors', async () => {
    const own = runtimeWith(2);
    const plan = own.register(compiled, { batching, reserve: { executors: 1 } });
    expect(await own.predict(plan, rows[7]!)).toEqual(answers[7]);
    expect(own.stats().executors.reserved[0]).toMatchObject({ rows: 1 });
    await own.close();
  });
});
