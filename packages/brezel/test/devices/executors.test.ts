import {
  createFlour,
  createRuntime,
  loadNative,
  type Percentiles,
  type Program,
  type Runtime,
  type RuntimeOptions,
} from 'brezel';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { expectNear, numbers, registered } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';
import { freeCalls as profile } from './random-programs.js';

// If a plan has a device stage, executors run its other stages, as in batches of other plans.

const flour = await createFlour();
const words = ['good', 'bad', 'film', 'plot', 'long', 'short'];
const colors = ['red', 'green'];
const runtimes: Runtime[] = [];
afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
});
afterAll(() => flour.dispose());
const hasAddon = loadNative().addon !== undefined;

function start(executors: number, options: Pick<RuntimeOptions, 'latencies'> = {}) {
  const device = new PosingDevice();
  const runtime = createRuntime({ store: flour.store, backends: [device], executors, device: { profile }, ...options });
  runtimes.push(runtime);
  return { device, runtime };
}

const layer = (inputs: number, outputs: number) => ({
  weights: numbers(inputs * outputs),
  bias: numbers(outputs),
  activation: 'tanh' as const,
});

/**
 * The CPU reads texts, rejects unknown colors and computes the norm. The device computes the second
 * layer.
 */
const program: Program = (() => {
  const columns = flour.columns({ text: 'string', color: 'string' });
  const text = columns
    .select('text')
    .tokenize()
    .wordNgram({ vocabulary: words.map((word) => [word]) });
  const color = columns.select('color').oneHot({ categories: colors, unknown: 'error' });
  return flour.program({
    y: text
      .concat(color)
      .mlp({ layers: [layer(8, 16), layer(16, 3)] })
      .normalize('l2'),
  });
})();

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    text: Array.from({ length: at % 11 }, (_, word) => words[(at * word + at) % words.length]).join(' '),
    color: colors[at % 2]!,
  }));

describe.skipIf(!hasDevice || !hasAddon)('stages around a device', () => {
  test('are measured on executors, too', async () => {
    const { runtime } = start(2, { latencies: { stagesEvery: 2 } });
    const plan = registered(runtime, program.plan(), { device: 'gpu' });
    await runtime.warm(plan);
    await runtime.predictBatch(plan, rowsOf(3000));
    expect(runtime.stats().executors.shared.rows).toBeGreaterThanOrEqual(3000);
    const stages = runtime.stats().plans[0]!.stageLatencies!;
    expect(new Set(stages.map(({ engine }) => engine))).toEqual(new Set(['device', 'native']));
    expect(stages.flatMap(({ operators }) => operators)).toEqual(expect.arrayContaining(['tokenize', 'normalize']));
    const [{ samples }] = stages.map(({ nanoseconds }) => nanoseconds) as [Percentiles];
    expect(samples).toBeGreaterThan(3);
    for (const { nanoseconds } of stages) {
      expect(nanoseconds.samples).toBe(samples);
      expect(nanoseconds.p50).toBeGreaterThan(1);
    }
  });

  test('of a batch run on executors, and of a single row on the calling thread', async () => {
    const { device, runtime } = start(2);
    const plan = registered(runtime, program.plan(), { device: 'gpu' });
    const rows = rowsOf(3000);
    await runtime.predict(plan, rows[1]!);
    expect(runtime.stats().executors.shared.rows, 'one row is not worth the way').toBe(0);
    const answers = await runtime.predictBatch(plan, rows);
    answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at]!)));
    expect(device.calls.slice(1).reduce((sum, count) => sum + count, 0)).toBe(3000);
    const { shared, chunks } = runtime.stats().executors;
    expect(shared.rows, 'all rows before the device at least').toBeGreaterThanOrEqual(3000);
    expect(chunks).toBe(0);
    expect((await runtime.predictBatch(plan, rows.slice(0, 20))).length).toBe(20);
    expect(runtime.stats().executors.shared.rows, 'nor are twenty').toBe(shared.rows);
  });

  test('with a reservation run on the reserved executors', async () => {
    const { runtime } = start(3);
    const plan = registered(runtime, program.plan(), { device: 'gpu', reserve: { executors: 1 } });
    await runtime.predictBatch(plan, rowsOf(3000));
    const { shared, reserved } = runtime.stats().executors;
    expect(shared.rows).toBe(0);
    expect(reserved[0]!.rows).toBeGreaterThanOrEqual(3000);
    runtime.unregister(plan);
    expect(runtime.stats().executors.reserved).toEqual([]);
  });

  test('have the bits of the CPU while the device fails', async () => {
    const { device, runtime } = start(2);
    const plan = registered(runtime, program.plan(), { device: 'gpu' });
    await runtime.warm(plan);
    const rows = rowsOf(3000);
    device.fault = () => Promise.reject(new Error('unplugged'));
    expect(await runtime.predictBatch(plan, rows)).toEqual(rows.map((row) => runtime.predictSync(plan, row)));
  });

  test('the first rejected row is reported with its index', async () => {
    const { runtime } = start(2);
    const plan = registered(runtime, program.plan(), { device: 'gpu' });
    const rows = rowsOf(3000);
    for (const at of [2900, 1234, 2000]) rows[at]!.color = 'mauve';
    await expect(runtime.predictBatch(plan, rows)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringMatching(/row 1234\b.*an unknown category/s),
    });
    expect((await runtime.predictBatch(plan, rows.slice(0, 1000))).length, 'others are unharmed').toBe(1000);
    await until(() => runtime.stats().executors.chunks === 0);
  });

  test('aborted calls, removed plans and closed runtimes', async () => {
    const { runtime } = start(2);
    const plans = [0, 1].map((at) => registered(runtime, program.plan(), { name: `plan ${at}`, device: 'gpu' }));
    await Promise.all(plans.map((plan) => runtime.warm(plan)));
    const rows = rowsOf(6000);
    const controller = new AbortController();
    const left = runtime.predictBatch(plans[0]!, rows, { signal: controller.signal });
    const gone = runtime.predictBatch(plans[0]!, rows);
    const stays = runtime.predictBatch(plans[1]!, rows);
    void turns(2).then(() => controller.abort(new Error('enough')));
    await expect(left).rejects.toThrow('enough');
    runtime.unregister(plans[0]!);
    await expect(gone).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
    const answers = await stays;
    for (let at = 0; at < rows.length; at += 501) expectNear(answers[at], runtime.predictSync(plans[1]!, rows[at]!));
    expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
    const last = runtime.predictBatch(plans[1]!, rows);
    const told = expect(last).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    await turns(2);
    await runtime.close();
    await told;
  });

  test('without executors, all stages run on the calling thread', async () => {
    const { runtime } = start(0);
    const plan = registered(runtime, program.plan(), { device: 'gpu' });
    const rows = rowsOf(1500);
    const answers = await runtime.predictBatch(plan, rows);
    answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at]!)));
    expect(runtime.stats().executors).toMatchObject({ limit: 0, shared: { rows: 0 } });
  });
});
