import {
  createFlour,
  createRuntime,
  onnxruntimeBackend,
  type Runtime,
  type RuntimeOptions,
  runtimeMetrics,
} from 'brezel';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../../testing/until.js';
import { expectNear, features, network, numbers, registered, rowsOf, WIDTH } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';

// Which requests a device answers, and in which order.

const flour = await createFlour();
afterAll(() => flour.dispose());
const runtimes: Runtime[] = [];
afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
});

function start(device: RuntimeOptions['device'] = {}) {
  const backend = new PosingDevice();
  const runtime = createRuntime({ store: flour.store, backends: [backend], device });
  runtimes.push(runtime);
  return { backend, runtime };
}

/** Makes the device wait with its answers until the returned function is called. */
function held(backend: PosingDevice): () => void {
  let open = () => {};
  backend.gate = new Promise((resolve) => {
    open = resolve;
  });
  return () => {
    backend.gate = undefined;
    open();
  };
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((later) => setImmediate(later));
};

describe.skipIf(!hasDevice)('calls of a device', () => {
  test('run within the limit, and waiting rows share the next call', async () => {
    const { backend, runtime } = start({ calls: 2 });
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(plan);
    const release = held(backend);
    const rows = rowsOf(40);
    const answers: Promise<unknown>[] = [];
    for (const row of rows) {
      answers.push(runtime.predict(plan, row));
      await turns();
    }
    expect(backend.calls).toEqual([1, 1]);
    expect(runtime.stats().devices[0]).toMatchObject({ calls: { limit: 2, running: 2, reserved: 0 } });
    release();
    for (const [at, answer] of answers.entries()) expectNear(await answer, runtime.predictSync(plan, rows[at]!));
    expect(backend.calls, 'the device was busy: the others gathered').toEqual([1, 1, 38]);
    const [metric] = runtimeMetrics.filter(({ name }) => name === 'device.rows');
    expect(metric!.read(runtime.stats())).toEqual([
      { labels: { backend: 'posing', stage: expect.stringMatching(/^[0-9a-f]{8}$/) }, value: 40 },
    ]);
    expect(backend.mostAtOnce).toBe(2);
  });

  test('a plan with reserved calls does not wait for other plans or share calls with them', async () => {
    const { backend, runtime } = start({ calls: 2 });
    const plan = network(flour);
    const [mine, theirs] = [{ reserveCalls: 1 }, {}].map((lowering, at) =>
      runtime.register(plan, { name: `plan ${at}`, device: 'gpu', lowering }),
    );
    plan.release();
    await Promise.all([runtime.warm(mine!), runtime.warm(theirs!)]);
    expect(new Set(backend.opened.map(({ model }) => model.checksum)).size, 'one model all the same').toBe(1);
    const release = held(backend);
    const answers = [runtime.predict(theirs!, rowsOf(1)[0]!)];
    await turns();
    for (let at = 0; at < 3; at++) answers.push(runtime.predict(theirs!, rowsOf(1)[0]!));
    await turns();
    expect(backend.calls, 'one call is not theirs').toEqual([1]);
    answers.push(...rowsOf(5).map((row) => runtime.predict(mine!, row)));
    await turns();
    expect(backend.calls).toEqual([1, 5]);
    expect(runtime.stats().devices[0]).toMatchObject({ calls: { limit: 2, running: 2, reserved: 1 } });
    release();
    await Promise.all(answers);
    expect(backend.calls).toEqual([1, 5, 3]);
    runtime.unregister(mine!);
    expect(runtime.stats().devices[0]!.calls.reserved).toBe(0);
  });

  test('one call cannot be reserved', () => {
    const { runtime } = start({ calls: 3 });
    const first = registered(runtime, network(flour), { device: 'gpu', lowering: { reserveCalls: 1 } });
    const refused = expect.objectContaining({
      code: 'ERR_RUNTIME_RESERVATION',
      message: expect.stringContaining("at most 1 of the device's 3 calls"),
    });
    expect(() => registered(runtime, network(flour), { device: 'gpu', lowering: { reserveCalls: 2 } })).toThrow(
      refused,
    );
    expect(runtime.stats().plans.length).toBe(1);
    runtime.unregister(first);
    registered(runtime, network(flour), { device: 'gpu', lowering: { reserveCalls: 2 } });
  });

  test('rows of higher priority run first', async () => {
    const { backend, runtime } = start({ calls: 1 });
    const priorities = ['low', 'normal', 'high'] as const;
    const plans = priorities.map((priority) => registered(runtime, network(flour), { device: 'gpu', priority }));
    await Promise.all(plans.map((plan) => runtime.warm(plan)));
    const release = held(backend);
    const first = runtime.predict(plans[1]!, rowsOf(1)[0]!);
    await turns();
    const order: string[] = [];
    const later = plans.map(async (plan, at) => {
      await runtime.predictBatch(plan, rowsOf(at + 2));
      order.push(priorities[at]!);
    });
    await turns();
    release();
    await Promise.all([first, ...later]);
    expect(backend.calls).toEqual([1, 4, 3, 2]);
    expect(order).toEqual(['high', 'normal', 'low']);
  });

  test('blocks gather at both stages of a plan, also if two plans share the first stage', async () => {
    const { backend, runtime } = start({ calls: 1 });
    const components = numbers(8 * WIDTH);
    const two = () => {
      const reduced = features(flour).project({ components, mean: numbers(WIDTH).fill(0) });
      const layers = [{ weights: numbers(8 * 2), bias: numbers(2), activation: 'tanh' as const }];
      return flour.program({ y: reduced.mlp({ layers }) }).plan();
    };
    const options = { device: 'gpu', lowering: { keepStages: true } } as const;
    const plans = [two(), two()].map((plan) => registered(runtime, plan, options));
    expect(
      runtime.stats().devices[0]!.stages.map((stage) => stage.plans),
      'the first is shared',
    ).toEqual([2, 1, 1]);
    const rows = rowsOf(1500);
    const batches = await Promise.all(plans.flatMap((plan) => [0, 1].map(() => runtime.predictBatch(plan, rows))));
    batches.forEach((answers, at) => {
      const plan = plans[at >> 1]!;
      for (let row = 0; row < rows.length; row += 97) expectNear(answers[row], runtime.predictSync(plan, rows[row]!));
    });
    const counted = backend.calls.reduce((sum, count) => sum + count, 0);
    expect(counted).toBe(2 * 4 * rows.length);
    expect(backend.calls.length, 'gathered, not block by block').toBeLessThan(counted / 500);
  });

  test('plans share the session of an equal stage, also with different gathering options, and reuse memory', async () => {
    const backend = onnxruntimeBackend({ workers: 2, replicas: 2 });
    const runtime = createRuntime({ store: flour.store, backends: [backend] });
    runtimes.push(runtime);
    const plan = network(flour);
    const options = { device: 'gpu', providers: ['cpu'] } as const;
    const plans = [{}, {}, { maxBatch: 64 }, { reserveCalls: 1 }].map((lowering, at) =>
      runtime.register(plan, { name: `plan ${at}`, ...options, lowering }),
    );
    plan.release();
    const other = registered(runtime, network(flour), options);
    await Promise.all([...plans, other].map((one) => runtime.warm(one)));
    expect(backend.memory().models, 'two networks in five plans').toBe(2);
    const rows = rowsOf(50);
    const answer = () => runtime.predictBatch(plans[0]!, rows);
    await answer();
    const { made } = backend.memory().buffers;
    for (let call = 0; call < 5; call++) {
      const answers = await answer();
      answers.forEach((one, at) => expectNear(one, runtime.predictSync(plans[0]!, rows[at]!)));
    }
    expect(backend.memory().buffers.made, 'nothing new').toBe(made);
    for (const one of plans.slice(1)) runtime.unregister(one);
    expectNear(await runtime.predict(plans[0]!, rows[0]!), runtime.predictSync(plans[0]!, rows[0]!));
    await runtime.close();
    await until(() => backend.memory().models === 0);
    await backend.dispose();
  });

  test('each call adds one listener to its signal, for any number of blocks, and removes it', async () => {
    const { runtime } = start();
    const plan = registered(runtime, network(flour), { device: 'gpu', lowering: { maxBatch: 16 } });
    await runtime.warm(plan);
    const { signal } = new AbortController();
    let [listening, most] = [0, 0];
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...listener: Parameters<typeof add>) => {
      most = Math.max(most, ++listening);
      add(...listener);
    };
    signal.removeEventListener = (...listener: Parameters<typeof remove>) => {
      listening -= 1;
      remove(...listener);
    };
    expect((await runtime.predictBatch(plan, rowsOf(800), { signal })).length).toBe(800);
    expect([listening, most]).toEqual([0, 1]);
  });
});
