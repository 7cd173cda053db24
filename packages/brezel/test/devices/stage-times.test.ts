import { makeModel, makeNode, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx, loadNative, type Runtime, type StageLatency } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { busyFor } from '../../../../testing/busy.mjs';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { float, graph } from '../tensors/models.js';
import { listOf, network, registered, rowsOf } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';

// Stage times of plans that run partly on a device.

const flour = await createFlour();
afterAll(() => flour.dispose());

/** Only the call costs time, 10 µs, so the device is faster from some number of rows. */
const profile = { callMicros: 10, flopsPerMicro: 1e9, transferBytesPerMicro: 1e9 };
const io = [[float('x', ['N', 2])], [float('y', ['N', 2])]] as const;
const abs = writeModel(makeModel(graph([makeNode('Abs', ['x'], ['y'])], ...io), { '': 17 }));
const natives = loadNative().addon === undefined ? [false] : [false, true];

describe.skipIf(!hasDevice).each(natives)('native: %s', (native) => {
  const device = new PosingDevice();
  const runtimeOf = (stagesEvery: number) =>
    createRuntime({
      store: flour.store,
      native,
      backends: [device],
      device: { profile, retryMs: 60_000 },
      latencies: { stagesEvery },
    });
  const onCpu = native ? 'native' : 'wasm';
  const stagesOf = (runtime: Runtime): readonly StageLatency[] => runtime.stats().plans[0]!.stageLatencies!;
  const seen = (runtime: Runtime) =>
    stagesOf(runtime).map(({ operators, engine, nanoseconds }) => [operators.join(' '), engine, nanoseconds.samples]);

  test('every verb measures the stages on the device and between them', async () => {
    await using runtime = runtimeOf(3);
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(plan);
    for (const row of rowsOf(7)) await runtime.predict(plan, row);
    const [norm, dense, ...others] = stagesOf(runtime);
    expect(others).toEqual([]);
    expect(norm).toMatchObject({ operators: ['normalize'], engine: onCpu, nanoseconds: { samples: 3 } });
    expect(dense).toMatchObject({ engine: 'device', nanoseconds: { samples: 3 } });
    expect(dense!.key).toBe(runtime.stats().devices[0]!.stages[0]!.key);
    expect(dense!.nanoseconds.p50, 'a call to another thread').toBeGreaterThan(1000);
    for (const { nanoseconds } of [norm!, dense!]) {
      const ascending = [1, nanoseconds.p50, nanoseconds.p90, nanoseconds.p99, nanoseconds.p999, nanoseconds.max];
      expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
    }
    await runtime.predictBatch(plan, rowsOf(700));
    for await (const _ of runtime.predictStream(plan, rowsOf(700)));
    const samples = stagesOf(runtime).map(({ nanoseconds }) => nanoseconds.samples);
    expect(samples[0]).toBeGreaterThanOrEqual(Math.ceil((7 + 2 * (700 / 256)) / 3));
    expect(samples[1]).toBe(samples[0]);
  });

  test('the runs of a stage on the CPU count separately', async () => {
    await using runtime = runtimeOf(1);
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(plan);
    const [row] = rowsOf(1);
    await runtime.predict(plan, row!);
    device.fault = async () => Promise.reject(new Error('unplugged'));
    await runtime.predict(plan, row!);
    device.fault = undefined;
    const dense = stagesOf(runtime)[1]!.operators.join(' ');
    runtime.predictSync(plan, row!);
    await runtime.predict(plan, row!); // the device is not called
    expect(seen(runtime)).toEqual([
      ['normalize', onCpu, 4],
      [dense, onCpu, 3],
      [dense, 'device', 1],
    ]);
  });

  test('repaired rows count in the time of the device', async () => {
    await using runtime = runtimeOf(1);
    const plan = registered(runtime, network(flour), { device: 'gpu' });
    await runtime.warm(plan);
    const rows = [...rowsOf(3), { x: Array(24).fill(Number.NaN) }];
    await runtime.predictBatch(plan, rows);
    expect(runtime.stats().devices[0]!.stages[0]!.repairedRows).toBe(1);
    expect(seen(runtime).map(([, engine, samples]) => [engine, samples])).toEqual([
      [onCpu, 1],
      ['device', 1],
    ]);
  });

  test('a failed block adds no sample', async () => {
    await using runtime = runtimeOf(1);
    const plan = registered(runtime, network(flour), { device: 'gpu', lowering: { maxDelayMs: 1000 } });
    await runtime.warm(plan);
    const controller = new AbortController();
    const { signal } = controller;
    const left = expect(runtime.predict(plan, rowsOf(1)[0]!, { signal })).rejects.toThrow('gone');
    await turns(2);
    controller.abort(new Error('gone'));
    await left;
    expect(stagesOf(runtime)).toEqual([]);
  });

  test('the time of a black box on a device is from call to answer', async () => {
    await using runtime = runtimeOf(2);
    const compiled = importOnnx(abs, flour, { blackBox: 'prefer' }).program.plan();
    const plan = registered(runtime, compiled, { device: 'gpu' });
    await runtime.warm(plan);
    let open: () => void = () => undefined;
    device.gate = new Promise((resolve) => {
      open = resolve;
    });
    const before = device.calls.length;
    const answer = runtime.predict(plan, { x: [-1, 2] });
    await until(() => device.calls.length > before);
    busyFor(20);
    open();
    expect(listOf(await answer)).toEqual([1, 2]);
    device.gate = undefined;
    for (let at = 0; at < 4; at++) await runtime.predictBatch(plan, [{ x: [3, -at] }]);
    const [box, ...others] = stagesOf(runtime);
    expect(others).toEqual([]);
    expect(box).toMatchObject({ operators: ['brezel/black-box'], nanoseconds: { samples: 3 } });
    expect(box!.nanoseconds.max).toBeGreaterThan(15e6);
  });
});
