import {
  type BackendTensors,
  backendError,
  createFlour,
  createRuntime,
  onnxruntimeBackend,
  type RuntimeOptions,
} from 'brezel';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { endAfterEach } from '../../../../testing/end-after-each.js';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { expectNear, features, network, numbers, registered, rowsOf, WIDTH } from './plans.js';
import { type Fault, hasDevice, PosingDevice } from './posing-device.js';

// A device that is missing, fails, returns wrong answers or hangs: the CPU answers the request,
// other plans are not affected, and the process emits one warning.

const flour = await createFlour();
const warnings: Error[] = [];
const keep = (warning: Error & { code?: string }) => void (warning.code === 'BREZEL_DEVICE' && warnings.push(warning));
const real = onnxruntimeBackend();
beforeEach(() => {
  warnings.length = 0;
});
process.on('warning', keep);
afterAll(async () => {
  process.off('warning', keep);
  await real.dispose();
  flour.dispose();
});

const closing = endAfterEach();

function start(options: RuntimeOptions['device'] = {}, clock?: ManualClock) {
  const device = new PosingDevice();
  const runtime = createRuntime({
    store: flour.store,
    backends: [device],
    device: { retryMs: 60_000, ...options },
    clock,
  });
  closing.push(() => runtime.close());
  return { device, runtime };
}

const never: Fault = () => new Promise(() => undefined);

/**
 * Returns the messages of all warnings so far. It waits first, because Node emits warnings in a
 * later turn of the event loop.
 */
const told = async () => {
  await turns();
  return warnings.map(({ message }) => message);
};

describe('a missing device', () => {
  test('without a backend, device: gpu is rejected, and nothing stays registered', async () => {
    await using runtime = createRuntime({ store: flour.store });
    expect(() => registered(runtime, network(flour), { device: 'gpu' })).toThrow(
      expect.objectContaining({ code: 'ERR_BACKEND_MISSING', hint: expect.stringContaining('onnxruntime-node') }),
    );
    expect(runtime.stats()).toMatchObject({ plans: [], stages: { distinct: 0 }, devices: [] });
    const plan = registered(runtime, network(flour), { device: 'auto' });
    const [row] = rowsOf(1);
    expect(await runtime.predict(plan, row!)).toEqual(runtime.predictSync(plan, row!));
    expect(runtime.placement(plan, 256)[1]).toMatchObject({ device: 'cpu' });
  });

  test('a plan without stages for a device runs as usual', async () => {
    await using runtime = createRuntime({ store: flour.store });
    const plan = registered(runtime, flour.program({ y: features(flour).normalize('l2') }).plan(), { device: 'gpu' });
    const [row] = rowsOf(1);
    expect(await runtime.predict(plan, row!)).toEqual(runtime.predictSync(plan, row!));
  });

  test.skipIf(!hasDevice)(
    'without a provider, device: gpu fails with the reason, and device: auto uses the CPU',
    async () => {
      const { device, runtime } = start();
      device.refusal = backendError('ERR_BACKEND_PROVIDER', { received: 'cuda: no driver' });
      const asks = registered(runtime, network(flour), { device: 'gpu' });
      const does = registered(runtime, network(flour), { device: 'auto', lowering: { maxDelayMs: 1 } });
      const rows = rowsOf(40);
      const refused = expect.objectContaining({
        code: 'ERR_BACKEND_PROVIDER',
        message: expect.stringContaining('no driver'),
      });
      await expect(runtime.predictBatch(asks, rows)).rejects.toEqual(refused);
      await expect(runtime.warm(asks)).rejects.toEqual(refused);
      await runtime.warm(does);
      expect(await runtime.predictBatch(does, rows)).toEqual(rows.map((row) => runtime.predictSync(does, row)));
      expect(runtime.predictSync(asks, rows[0]!), 'who cannot wait does not ask').toBeDefined();
      expect(runtime.placement(does, 256)[1]).toMatchObject({
        device: 'cpu',
        why: expect.stringMatching(/^absent: .*no driver/),
      });
      expect(await told(), 'nothing was lost').toEqual([]);
      device.refusal = undefined;
      const wanted = rows.map((row) => runtime.predictSync(asks, row));
      const answers = await runtime.predictBatch(asks, rows);
      answers.forEach((answer, at) => expectNear(answer, wanted[at]));
    },
  );

  test('a package that is not installed', async () => {
    const missing = onnxruntimeBackend({ workers: 1, module: 'not-there-onnxruntime' });
    await using runtime = createRuntime({ store: flour.store, backends: [missing] });
    const plan = registered(runtime, network(flour), { device: 'gpu', providers: ['cpu'] });
    await expect(runtime.predict(plan, rowsOf(1)[0]!)).rejects.toMatchObject({ code: 'ERR_BACKEND_MISSING' });
    await missing.dispose();
  });

  test.skipIf(!hasDevice)('a provider can be selected by name, also a CPU provider', async () => {
    await using runtime = createRuntime({ store: flour.store, backends: [real] });
    const plan = registered(runtime, network(flour), { device: 'gpu', providers: ['cpu'] });
    const rows = rowsOf(9);
    const answers = await runtime.predictBatch(plan, rows);
    answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at]!)));
    expect(runtime.stats().devices[0]).toMatchObject({
      backend: 'onnxruntime',
      providers: ['cpu'],
      stages: [{ rows: 9, provider: 'cpu' }],
    });
  });
});

const floats = (shape: number[], value = 0) => ({
  element: 'float32' as const,
  shape,
  data: new Float32Array(shape.reduce((count, size) => count * size, 1)).fill(value),
});
const rowsIn = (inputs: BackendTensors) => inputs.in_0!.shape[0]!;

describe.skipIf(!hasDevice)('a device that fails', () => {
  const faults: [string, Fault, RegExp][] = [
    ['throws', async () => Promise.reject(new Error('kernel fault')), /kernel fault/],
    ['throws something else', async () => Promise.reject('nothing in particular'), /nothing in particular/],
    ['dies', async () => Promise.reject(backendError('ERR_BACKEND_LOST', { received: 'gone' })), /gone/],
    ['gives nothing', async () => ({}), /received nothing/],
    ['gives other shapes', async (inputs) => ({ out_0: floats([rowsIn(inputs), 2]) }), /expected float32\[\d+, 3\]/],
    ['gives too few rows', async (inputs) => ({ out_0: floats([rowsIn(inputs) - 1, 3]) }), /expected float32/],
    [
      'gives less than it says',
      async (inputs) => ({ out_0: { ...floats([1, 3]), shape: [rowsIn(inputs), 3] } }),
      /expected/,
    ],
    [
      'gives another type',
      async (inputs) => ({
        out_0: { element: 'float64', shape: [rowsIn(inputs), 3], data: new Float64Array(3 * rowsIn(inputs)) },
      }),
      /received float64/,
    ],
    ['never answers', never, /no answer within 50 ms/],
    [
      'gives NaN for everything',
      async (inputs) => ({ out_0: floats([rowsIn(inputs), 3], Number.NaN) }),
      /NaN or infinity in/,
    ],
  ];
  test.each(faults)('%s: rows are answered, with one warning', async (_, fault, message) => {
    const clock = new ManualClock();
    const { device, runtime } = start({ timeoutMs: 50 }, clock);
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    const other = registered(runtime, network(flour), { device: 'gpu' });
    await Promise.all([runtime.warm(plan), runtime.warm(other)]);
    const rows = rowsOf(90);
    const wanted = rows.map((row) => runtime.predictSync(plan, row));
    const [mine] = runtime.stats().devices[0]!.stages;
    device.fault = fault;
    const answering = Promise.all([
      runtime.predictBatch(plan, rows.slice(0, 60)),
      ...rows.slice(60).map((row) => runtime.predict(plan, row)),
    ]);
    const answers = await (fault === never ? clock.run(answering, 50) : answering);
    expect(answers.flat(), 'the CPU’s bits').toEqual(wanted);
    const calls = device.calls.length;
    expect(await runtime.predictBatch(plan, rows)).toEqual(wanted);
    expect(device.calls.length, 'it rests').toBe(calls);
    device.fault = undefined;
    expectNear(await runtime.predict(other, rows[0]!), runtime.predictSync(other, rows[0]!));
    expect(device.calls.length, 'another stage does not').toBe(calls + 1);
    const stats = () => runtime.stats().devices[0]!.stages.find(({ key }) => key === mine!.key)!;
    expect(stats()).toMatchObject({ state: 'resting', lastFailure: expect.stringMatching(message) });
    expect(runtime.placement(plan, 256)[1]).toMatchObject({ device: 'cpu', why: expect.stringMatching(/^resting: /) });
    expect(await told()).toEqual([expect.stringMatching(message)]);
    expect(runtime.stats().devices[0]!.warnings).toBe(1);
  });

  test('is tried again, with a second warning when it fails again', async () => {
    const { device, runtime } = start({ retryMs: 1 });
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    const rows = rowsOf(5);
    const wanted = rows.map((row) => runtime.predictSync(plan, row));
    const failures = () => runtime.stats().devices[0]!.stages[0]!.failures;
    for (const times of [1, 2]) {
      device.fault = () => Promise.reject(backendError('ERR_BACKEND_LOST', { received: 'gone' }));
      await until(async () => (await runtime.predictBatch(plan, rows).then(failures)) > times);
      expect((await told()).length, 'once, however often it fails').toBe(times);
      device.fault = undefined;
      const state = () => runtime.stats().devices[0]!.stages[0]!.state;
      await until(async () => (await runtime.predictBatch(plan, rows).then(state)) === 'ready');
      const after = await runtime.predictBatch(plan, rows);
      after.forEach((answer, at) => expectNear(answer, wanted[at]));
    }
  });

  test('does not recover through a call that started before the failure', async () => {
    const { device, runtime } = start({ calls: 2 });
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(plan);
    let answer = () => {};
    device.gate = new Promise((resolve) => {
      answer = resolve;
    });
    const [row, other] = rowsOf(2);
    const first = runtime.predict(plan, row!);
    await until(() => device.calls.length === 1);
    device.gate = undefined;
    device.fault = () => Promise.reject(new Error('kernel fault'));
    expect(await runtime.predict(plan, other!)).toEqual(runtime.predictSync(plan, other!));
    device.fault = undefined;
    answer();
    expectNear(await first, runtime.predictSync(plan, row!));
    expect(runtime.stats().devices[0]!.stages[0]).toMatchObject({ state: 'resting', calls: 1, failures: 1 });
  });

  test('in the middle of a batch', async () => {
    const { device, runtime } = start();
    const plan = registered(runtime, network(flour), { device: 'gpu', lowering: { maxBatch: 100 } });
    await runtime.warm(plan);
    const rows = rowsOf(1000);
    device.fault = () => (device.calls.length > 3 ? Promise.reject(new Error('enough')) : undefined);
    const answers = await runtime.predictBatch(plan, rows);
    answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at]!)));
    const [stage] = runtime.stats().devices[0]!.stages;
    expect(stage!.rows + stage!.cpuRows).toBe(1000);
    // Three calls succeeded. One of them may have ended after the fault, so that it is not counted.
    expect([1, 2, 3]).toContain(stage!.calls);
    expect((await told()).length).toBe(1);
  });

  test('if it runs out of memory, the next call has half of the rows', async () => {
    const { device, runtime } = start({ retryMs: 0 });
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(plan);
    const [row, rows] = [rowsOf(1)[0]!, rowsOf(200)];
    device.fault = (inputs) =>
      rowsIn(inputs) > 60 ? Promise.reject(new Error('CUDA failure 2: out of memory')) : undefined;
    for (let round = 0; round < 3; round++) {
      const answers = await runtime.predictBatch(plan, rows);
      answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at]!)));
    }
    const [stage] = runtime.stats().devices[0]!.stages;
    expect(stage!.maxBatch).toBeLessThanOrEqual(60);
    const calls = device.calls.length;
    await runtime.predictBatch(plan, rows);
    expect(Math.max(...device.calls.slice(calls))).toBeLessThanOrEqual(60);
    expectNear(await runtime.predict(plan, row), runtime.predictSync(plan, row));
  });

  test('if it has no memory for a model, the CPU runs this stage, with one warning, and other plans are unaffected', async () => {
    const { device, runtime } = start();
    const other = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(other);
    device.refusal = backendError('ERR_BACKEND_MODEL', { received: 'Failed to allocate memory for requested buffer' });
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    const rows = rowsOf(30);
    expect(await runtime.predictBatch(plan, rows)).toEqual(rows.map((row) => runtime.predictSync(plan, row)));
    expect(await runtime.predict(plan, rows[0]!)).toEqual(runtime.predictSync(plan, rows[0]!));
    expectNear(await runtime.predict(other, rows[0]!), runtime.predictSync(other, rows[0]!));
    const states = runtime.stats().devices[0]!.stages.map(({ state }) => state);
    expect(states).toEqual(['ready', 'resting']);
    expect(await told()).toEqual([expect.stringContaining('Failed to allocate')]);
  });

  test('rows with NaN and infinities run on the CPU, and other rows are unaffected', async () => {
    const { runtime } = start();
    const layers = [{ weights: numbers(WIDTH * 4), bias: numbers(4), activation: 'relu' as const }];
    const y = features(flour).mlp({ layers });
    const plan = registered(runtime, flour.program({ y }).plan(), { device: 'gpu' });
    const rows = rowsOf(120).map(({ x }, at) => {
      if (at % 3 === 0) x[at % WIDTH] = [Number.NaN, Infinity, -Infinity, 3e38][(at / 3) % 4]!;
      return { x };
    });
    const answers = await runtime.predictBatch(plan, rows);
    answers.forEach((answer, at) => {
      const wanted = runtime.predictSync(plan, rows[at]!);
      if (at % 3 === 0) expect(answer, `row ${at}`).toEqual(wanted);
      else expectNear(answer, wanted);
    });
    expect(runtime.stats().devices[0]!.stages[0]).toMatchObject({ rows: 120, failures: 0, state: 'ready' });
    expect(await told()).toEqual([]);
  });

  test('a worker thread that dies', async () => {
    const module = new URL('../../../onnxruntime/test/dying-onnxruntime.mjs', import.meta.url).href;
    const dying = onnxruntimeBackend({ workers: 1, module });
    await using runtime = createRuntime({ store: flour.store, backends: [dying] });
    const y = features(flour).mlp({ layers: [{ weights: numbers(WIDTH * 2), bias: numbers(2) }] });
    const plan = registered(runtime, flour.program({ y }).plan(), { device: 'gpu', providers: ['cpu'] });
    const rows = rowsOf(20);
    rows[0]!.x[0] = 666;
    expect(await runtime.predictBatch(plan, rows)).toEqual(rows.map((row) => runtime.predictSync(plan, row)));
    expect(await told()).toEqual([expect.stringContaining('the worker thread that ran the model died')]);
    await dying.dispose();
  });
});

describe.skipIf(!hasDevice)('rejected', () => {
  const wrong: [string, object, string][] = [
    ['no such device', { device: 'tpu' }, 'device cpu, gpu or auto'],
    ['no rows', { device: 'gpu', lowering: { maxBatch: 0 } }, 'lowering.maxBatch from 1'],
    ['too many rows', { device: 'gpu', lowering: { maxBatch: 1e6 } }, 'lowering.maxBatch from 1'],
    ['no time', { device: 'gpu', lowering: { maxDelayMs: -1 } }, 'lowering.maxDelayMs from 0'],
    ['half a call', { device: 'gpu', lowering: { reserveCalls: 0.5 } }, 'lowering.reserveCalls from 0'],
    ['perhaps', { device: 'gpu', lowering: { mayJump: 'perhaps' } }, 'lowering.mayJump, true or false'],
    ['as you like', { device: 'gpu', lowering: { keepStages: 1 } }, 'lowering.keepStages, true or false'],
    ['a cache', { device: 'gpu', cache: { maxBytes: 4096 } }, 'neither cache nor batching'],
    ['batching', { device: 'auto', batching: { maxDelayMs: 1 } }, 'neither cache nor batching'],
  ];
  test.each(wrong)('%s', (_, options, expected) => {
    const { device, runtime } = start();
    expect(() => registered(runtime, network(flour), options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message: expect.stringContaining(expected) }),
    );
    expect(runtime.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
    expect(runtime.stats().devices.flatMap(({ stages }) => stages)).toEqual([]);
    expect(device.stagesOpen).toBe(0);
  });

  test.each([
    [{ calls: 0 }, 'device.calls'],
    [{ timeoutMs: 0 }, 'device.timeoutMs'],
    [{ retryMs: -1 }, 'device.retryMs'],
    [{ profile: { callMicros: 1, flopsPerMicro: 0, transferBytesPerMicro: 1 } }, 'device.profile.flopsPerMicro'],
  ])('%o', (device, expected) => {
    expect(() => createRuntime({ store: flour.store, device })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message: expect.stringContaining(expected) }),
    );
  });

  test('rows of a placement', async () => {
    await using runtime = createRuntime({ store: flour.store });
    const plan = registered(runtime, network(flour));
    expect(() => runtime.placement(plan, 0)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }));
  });
});
