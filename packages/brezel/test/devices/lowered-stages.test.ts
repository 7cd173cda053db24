import { createFlour, type OwnedPlan } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { until } from '../../../../testing/until.js';
import { runtimes } from '../serving/runtimes.js';
import { expectNear, network, registered, rowsOf } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';

// Dense stages of a plan on a device. The CPU provider of onnxruntime plays the device.

const flour = await createFlour();
afterAll(() => flour.dispose());

/** Only the call costs time, 10 µs, so the device is faster from some number of rows. */
const profile = { callMicros: 10, flopsPerMicro: 1e9, transferBytesPerMicro: 1e9 };

describe.skipIf(!hasDevice).each([false, true])('native: %s', (native) => {
  const device = new PosingDevice();
  const options = { backends: [device], device: { profile } };
  const clock = new ManualClock();
  const runtime = runtimes(flour, { ...options, clock }).find(([name]) => (name === 'native') === native)?.[1];
  const waiting = () => runtime!.stats().devices[0]!.stages.reduce((sum, { waitingRows }) => sum + waitingRows, 0);
  /** Advances the clock by the delay whenever rows wait in delayed batching. */
  const gathered = async <T>(delayMs: number, work: Promise<T>): Promise<T> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (;;) {
      await until(() => isOver || waiting() > 0);
      if (isOver) return work;
      clock.advance(delayMs);
    }
  };
  afterAll(() => runtime?.close());

  test.skipIf(runtime === undefined)('every asynchronous verb gives the answers of the CPU', async () => {
    const plan = registered(runtime!, network(flour), { device: 'gpu' });
    const rows = rowsOf(700);
    const wanted = rows.map((row) => runtime!.predictSync(plan, row));
    expect(device.calls, 'predictSync waits for nobody').toEqual([]);
    expectNear(await runtime!.predict(plan, rows[0]!), wanted[0]);
    expect(device.calls).toEqual([1]);
    const batch = await runtime!.predictBatch(plan, rows);
    batch.forEach((answer, at) => expectNear(answer, wanted[at]));
    expect(device.calls.slice(1).reduce((sum, count) => sum + count, 0)).toBe(700);
    const streamed = [];
    for await (const answer of runtime!.predictStream(plan, rows)) streamed.push(answer);
    streamed.forEach((answer, at) => expectNear(answer, wanted[at]));
    expect(streamed.length).toBe(700);
    const before = device.calls.length;
    const [reference] = await runtime!.predictBatch(plan, [rows[0]!], { engine: 'reference' });
    expect(reference).toEqual(wanted[0]);
    expect(await runtime!.predict(plan, rows[0]!, { engine: 'request-response' })).toEqual(wanted[0]);
    expect(device.calls.length, 'here, now, and the definition are the CPU').toBe(before);
    runtime!.unregister(plan);
    await until(() => device.stagesOpen === 0);
  });

  test.skipIf(runtime === undefined)('auto: the number of rows of a call decides', async () => {
    const plan = registered(runtime!, network(flour), { device: 'auto' });
    await runtime!.warm(plan);
    const [norm, dense] = runtime!.placement(plan, 1);
    expect(norm).toMatchObject({ device: 'cpu', transferBytes: 0, why: 'operator normalize' });
    expect(dense).toMatchObject({ device: 'cpu', provider: 'posing-gpu' });
    const from = dense!.fromRows!;
    expect(from).toBeGreaterThan(1);
    expect(runtime!.placement(plan, from)[1]).toMatchObject({
      device: 'gpu',
      transferBytes: from * 4 * (24 + 3),
      why: expect.stringMatching(/µs on the CPU, .*µs on the device$/),
    });
    const rows = rowsOf(from);
    device.calls.length = 0;
    const few = await runtime!.predictBatch(plan, rows.slice(1));
    expect(device.calls, 'below the crossover').toEqual([]);
    const many = await runtime!.predictBatch(plan, rows);
    expect(
      device.calls.reduce((sum, count) => sum + count, 0),
      'from it on',
    ).toBe(from);
    many.slice(1).forEach((answer, at) => expectNear(answer, few[at]));
    await runtime!.predict(plan, rows[0]!);
    expect(device.calls.reduce((sum, count) => sum + count, 0)).toBe(from);
    runtime!.unregister(plan);
  });

  test.skipIf(runtime === undefined)('concurrent rows of several requests and plans share a call', async () => {
    const [one, other] = [network(flour), network(flour)] as [OwnedPlan, OwnedPlan];
    const plans = [one, one, other].map((plan, at) =>
      runtime!.register(plan, { name: `plan ${at}`, device: 'gpu', lowering: { maxDelayMs: 20, maxBatch: 64 } }),
    );
    for (const plan of [one, other]) plan.release();
    await Promise.all(plans.map((plan) => runtime!.warm(plan)));
    device.calls.length = 0;
    const rows = rowsOf(30);
    const calls = Promise.all(rows.map((row, at) => runtime!.predict(plans[at % 2]!, row)));
    await until(() => waiting() === 30);
    clock.advance(20);
    const answers = await calls;
    expect(device.calls, 'two plans with one stage').toEqual([30]);
    answers.forEach((answer, at) => expectNear(answer, runtime!.predictSync(plans[0]!, rows[at]!)));
    const full = await gathered(
      20,
      Promise.all([40, 40].map((count) => runtime!.predictBatch(plans[0]!, rowsOf(count)))),
    );
    expect(full.map(({ length }) => length)).toEqual([40, 40]);
    expect(Math.max(...device.calls)).toBeLessThanOrEqual(64);
    device.calls.length = 0;
    await gathered(20, Promise.all([runtime!.predict(plans[0]!, rows[0]!), runtime!.predict(plans[2]!, rows[0]!)]));
    expect(device.calls, 'other weights are another stage').toEqual([1, 1]);
    const [stats] = runtime!.stats().devices;
    const shared = stats!.stages.find((stage) => stage.plans === 2);
    expect(shared).toMatchObject({ state: 'ready', failures: 0, cpuRows: 0, waitingRows: 0, provider: 'posing-gpu' });
    expect(shared!.rows).toBe(30 + 80 + 1);
    expect(shared!.transferBytes).toBe(shared!.rows * 4 * 27);
    for (const plan of plans) runtime!.unregister(plan);
    expect(runtime!.stats().devices[0]!.stages).toEqual([]);
  });

  test.skipIf(runtime === undefined)('gathered rows that are too few run on the CPU', async () => {
    const plan = registered(runtime!, network(flour), { device: 'auto', lowering: { maxDelayMs: 5 } });
    await runtime!.warm(plan);
    device.calls.length = 0;
    const row = rowsOf(1)[0]!;
    expect(await gathered(5, runtime!.predict(plan, row))).toEqual(runtime!.predictSync(plan, row));
    expect(device.calls).toEqual([]);
    expect(runtime!.stats().devices[0]!.stages[0]).toMatchObject({ calls: 0, cpuRows: 1 });
    const from = runtime!.placement(plan, 1)[1]!.fromRows!;
    const all = Promise.all(rowsOf(from).map((one) => runtime!.predict(plan, one)));
    await until(() => waiting() === from);
    clock.advance(5);
    await all;
    expect(device.calls, 'together they are enough').toEqual([from]);
    runtime!.unregister(plan);
  });

  test.skipIf(runtime === undefined)(
    'a call with a short deadline, an aborted call, and a call after its deadline',
    async () => {
      const plan = registered(runtime!, network(flour), { device: 'gpu', lowering: { maxDelayMs: 1000 } });
      await runtime!.warm(plan);
      const [row, other] = rowsOf(2);
      const wanted = runtime!.predictSync(plan, row!);
      const hurried = runtime!.predict(plan, row!, { deadlineMs: 400 });
      await until(() => waiting() === 1);
      clock.advance(200); // half of the delay
      expectNear(await hurried, wanted);
      const controller = new AbortController();
      const left = runtime!.predict(plan, row!, { signal: controller.signal });
      const stays = runtime!.predict(plan, other!, { deadlineMs: 400 });
      await until(() => waiting() === 2);
      controller.abort(new Error('enough'));
      await expect(left).rejects.toThrow('enough');
      clock.advance(200);
      expectNear(await stays, runtime!.predictSync(plan, other!));
      expect(device.calls.at(-1), 'who left is not run').toBe(1);
      const late = runtime!.predict(plan, row!);
      const gone = expect(late).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
      await until(() => waiting() === 1);
      runtime!.unregister(plan);
      await gone;
      expect(runtime!.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
    },
  );
});
