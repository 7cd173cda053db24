import { makeModel, makeNode, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx, importTensors } from 'brezel';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { endAfterEach } from '../../../../testing/end-after-each.js';
import { turns } from '../../../../testing/turns.js';
import { until } from '../../../../testing/until.js';
import { float, float32, graph } from '../tensors/models.js';
import { hasDevice, PosingDevice } from './posing-device.js';

// Black boxes on a device that fails: the CPU session answers, other plans are not affected, and
// the process emits one warning.

const flour = await createFlour();
const warnings: string[] = [];
const keep = (warning: Error & { code?: string }) =>
  void (warning.code === 'BREZEL_DEVICE' && warnings.push(warning.message));
beforeEach(() => {
  warnings.length = 0;
});
process.on('warning', keep);
afterAll(() => {
  process.off('warning', keep);
  flour.dispose();
});

const closing = endAfterEach();

const file = (operator: string) =>
  writeModel(
    makeModel(
      graph([makeNode(operator, ['x'], ['y'])], [float('x', ['N', 2])], [float('y', ['N', 2])], { name: operator }),
      { '': 17 },
    ),
  );
const product = writeModel(
  makeModel(
    graph(
      [makeNode('MatMul', ['x', 'z'], ['y'])],
      [float('x', ['N', 'K']), float('z', ['K', 'M'])],
      [float('y', ['N', 'M'])],
    ),
    {
      '': 17,
    },
  ),
);

function start(retryMs = 60_000) {
  const device = new PosingDevice();
  const runtime = createRuntime({ store: flour.store, backends: [device], device: { retryMs } });
  closing.push(() => runtime.close());
  const plan = (operator: string) => {
    const compiled = importOnnx(file(operator), flour, { blackBox: 'prefer' }).program.plan();
    const registered = runtime.register(compiled, { device: 'gpu', name: operator });
    compiled.release();
    return registered;
  };
  const tensors = (bytes: Uint8Array) =>
    runtime.registerTensors(importTensors(bytes, { blackBox: 'prefer' }).program, { device: 'gpu' });
  return { device, runtime, plan, tensors };
}

const rows = Array.from({ length: 600 }, (_, at) => ({ x: [at, -at - 1] }));
const lost = () => Promise.reject(new Error('device lost'));
/**
 * Returns all warnings so far. It waits first, because Node emits warnings in a later turn of the
 * event loop.
 */
const told = () => turns().then(() => [...warnings]);

describe.skipIf(!hasDevice)('a lost device', () => {
  test('the CPU answers, also in the middle of a batch, with one warning for all boxes and a cool-down', async () => {
    const { device, runtime, plan, tensors } = start();
    const [abs, neg, whole] = [plan('Abs'), plan('Neg'), tensors(file('Floor'))];
    expect(await runtime.predict(abs, rows[1]!)).toEqual({ y: [1, 2] });
    expect(device.calls).toEqual([1]);
    const place = { device: 'gpu', provider: 'posing-gpu', transferBytes: 100 * 16 };
    expect(runtime.placement(abs, 100).find((one) => one.device === 'gpu')).toMatchObject(place);
    let calls = 0;
    device.fault = () => (++calls > 1 ? lost() : undefined);
    const answered = await runtime.predictBatch(abs, rows);
    expect(answered.map(({ y }) => [...(y as number[])])).toEqual(rows.map(({ x: [a, b] }) => [a, -b!]));
    expect(await runtime.predict(neg, rows[1]!)).toEqual({ y: [-1, 2] });
    expect(await runtime.predictTensors(whole, { x: float32([1, 2], 0.5, -0.5) })).toEqual({
      y: float32([1, 2], 0, -1),
    });
    expect(await told()).toEqual([
      expect.stringMatching(/^backend posing failed on its device with black box of plan Abs: .*\(device lost\)$/),
    ]);
    const before = device.calls.length;
    await runtime.predictBatch(abs, rows);
    expect(device.calls.length, 'it is not asked while it rests').toBe(before);
  });

  test('is tried again, with a second warning when it fails again', async () => {
    const { device, runtime, plan } = start(0);
    const abs = plan('Abs');
    for (const round of [1, 2]) {
      device.fault = lost;
      for (let call = 0; call < 3; call++) await runtime.predict(abs, rows[1]!);
      expect(await told()).toHaveLength(round);
      device.fault = undefined;
      expect(await runtime.predict(abs, rows[1]!)).toEqual({ y: [1, 2] });
    }
    expect(device.calls).toHaveLength(8);
  });

  test('a row that the CPU also rejects is not a failure of the device', async () => {
    const { device, runtime, tensors } = start();
    const whole = tensors(product);
    const x = float32([1, 2], 1, 2);
    await expect(runtime.predictTensors(whole, { x, z: float32([3, 1], 1, 2, 3) })).rejects.toMatchObject({
      code: 'ERR_BACKEND_RUN',
    });
    expect(await runtime.predictTensors(whole, { x, z: float32([2, 1], 1, 2) })).toEqual({ y: float32([1, 1], 5) });
    expect(device.calls).toEqual([1, 1]);
    expect(await told()).toEqual([]);
  });

  test('an aborted call fails with the reason of its signal, and removing the plan closes both sessions', async () => {
    const { device, runtime, plan } = start();
    const abs = plan('Abs');
    const leaving = new AbortController();
    device.fault = () => {
      leaving.abort(new Error('enough'));
      return lost();
    };
    await expect(runtime.predict(abs, rows[0]!, { signal: leaving.signal })).rejects.toThrow('enough');
    expect(await told()).toEqual([]);
    device.fault = lost;
    await runtime.predict(abs, rows[0]!);
    runtime.unregister(abs);
    await until(() => device.stagesOpen === 0);
  });
});
