import { afterAll, expect, test } from 'vitest';
import { dear, flour, hasAddon, oneByOne, runtimeWith, textPlan, textRows } from './fleets.js';

/** Many rows and many plans. BREZEL_MANY_ROWS scales the number of rows. */

const ROWS = Number(process.env.BREZEL_MANY_ROWS ?? 300_000);
const PLANS = 1000;

const runtime = runtimeWith(2);
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

test.skipIf(!hasAddon)(`a batch of ${ROWS} rows: in order, in bounded memory`, async () => {
  const compiled = dear(textPlan(), 500); // 2 µs per row
  const plan = runtime.register(compiled);
  const rows = textRows(ROWS);
  await runtime.predictBatch(plan, rows.slice(0, 20_000));
  const answers = await runtime.predictBatch(plan, rows);
  expect(answers).toHaveLength(ROWS);
  const period = rows.slice(0, 20_000);
  const wanted = oneByOne(compiled, period);
  for (let at = 0; at < period.length; at += 7) expect(answers[at]).toEqual(wanted[at]);
  const last = rows.slice(-1000);
  expect(answers.slice(-1000)).toEqual(oneByOne(compiled, last));
  const { shared, inputGrows } = runtime.stats().executors;
  expect(shared.rows).toBe(ROWS + 20_000);
  // At most 64 chunks of a batch are in flight. Each of their buffers grows a few times, however
  // long the batch is.
  expect(inputGrows).toBeLessThan(64 * 20);
  runtime.unregister(plan);
  compiled.release();
});

test.skipIf(!hasAddon)(`${PLANS} plans at once`, async () => {
  const compiled = Array.from({ length: PLANS }, (_, n) => dear(textPlan(n), 100));
  const plans = compiled.map((one) => runtime.register(one));
  const rows = textRows(150);
  for (let round = 0; round < 3; round++) {
    const batches = await Promise.all(plans.map((one) => runtime.predictBatch(one, rows)));
    for (let n = 0; n < PLANS; n += 97) expect(batches[n]).toEqual(oneByOne(compiled[n]!, rows));
    expect(new Set(batches.map((batch) => JSON.stringify(batch))).size).toBe(PLANS);
  }
  for (const one of plans) runtime.unregister(one);
  expect(runtime.stats()).toMatchObject({ plans: [], stages: { distinct: 0 }, executors: { chunks: 0 } });
  for (const one of compiled) one.release();
});
