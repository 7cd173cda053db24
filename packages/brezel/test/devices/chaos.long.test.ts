import { backendError, createFlour, createRuntime, type RegisteredPlan } from 'brezel';
import { expect, test } from 'vitest';
import { until } from '../../../../testing/until.js';
import { seed } from '../conformance/seed.js';
import { expectNear, network, rowsOf } from './plans.js';
import { type Fault, hasDevice, PosingDevice } from './posing-device.js';

// Plans are registered and removed, requests of all kinds overlap, and the device sometimes fails.
// Every request gets an answer, and no object stays in the store.

const SECONDS = Number(process.env.BREZEL_CHAOS_SECONDS ?? 8);
console.info(`BREZEL_CHAOS_SECONDS=${SECONDS}`);
const flour = await createFlour();

let state = seed >>> 0;
const below = (limit: number) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

const faults: (Fault | undefined)[] = [
  undefined,
  undefined,
  undefined,
  () => Promise.reject(new Error('kernel fault')),
  () => Promise.reject(backendError('ERR_BACKEND_LOST', { received: 'gone' })),
  () => Promise.reject(new Error('CUDA failure 2: out of memory')),
  () => new Promise(() => undefined),
  async () => ({}),
  async (inputs) => {
    const shape = [inputs.in_0!.shape[0]!, 3];
    return { out_0: { element: 'float32', shape, data: new Float32Array(shape[0]! * 3).fill(Number.NaN) } };
  },
];

test.skipIf(!hasDevice)('chaos', { timeout: (SECONDS + 60) * 1000 }, async () => {
  const device = new PosingDevice();
  const profile = { callMicros: 5, flopsPerMicro: 1e9, transferBytesPerMicro: 1e9 };
  const options = { profile, retryMs: 5, timeoutMs: 20, calls: 3 };
  const runtime = createRuntime({ store: flour.store, backends: [device], device: options });
  const programs = [network(flour), network(flour), network(flour)];
  const random = () => ({
    device: (['gpu', 'auto'] as const)[below(2)]!,
    priority: (['low', 'normal', 'high'] as const)[below(3)]!,
    lowering: { maxBatch: 1 + below(300), maxDelayMs: below(4), ...(below(8) === 0 && { reserveCalls: 1 }) },
  });
  const register = () => {
    try {
      return runtime.register(programs[below(programs.length)]!, random());
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_RUNTIME_RESERVATION' });
      return runtime.register(programs[0]!);
    }
  };
  const plans: RegisteredPlan[] = [register(), register(), register()];
  const counts = { answered: 0, aborted: 0, gone: 0, late: 0 };
  const request = async () => {
    const plan = plans[below(plans.length)]!;
    const rows = rowsOf(below(4) === 0 ? 1 + below(900) : 1 + below(4));
    const wanted = rows.map((row) => runtime.predictSync(plan, row));
    const controller = new AbortController();
    const signal = below(10) === 0 ? { signal: controller.signal } : {};
    if ('signal' in signal) setTimeout(() => controller.abort(new Error('enough')), below(10));
    const deadline = below(12) === 0 ? { deadlineMs: 1 + below(20) } : {};
    try {
      const call = { ...signal, ...deadline };
      const answers =
        rows.length === 1
          ? [await runtime.predict(plan, rows[0]!, call)]
          : await runtime.predictBatch(plan, rows, call);
      answers.forEach((answer, at) => expectNear(answer, wanted[at]));
      counts.answered += 1;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (message === 'enough') counts.aborted += 1;
      else if (code === 'ERR_RUNTIME_UNKNOWN_PLAN') counts.gone += 1;
      else if (code === 'ERR_RUNTIME_DEADLINE') counts.late += 1;
      else throw error;
    }
  };
  const end = performance.now() + SECONDS * 1000;
  const client = async () => {
    while (performance.now() < end) await request();
  };
  const trouble = async () => {
    while (performance.now() < end) {
      device.fault = faults[below(faults.length)];
      if (below(3) === 0) {
        const at = below(plans.length);
        runtime.unregister(plans[at]!);
        plans[at] = register();
      }
      await new Promise((later) => setTimeout(later, 1 + below(30)));
    }
  };
  await Promise.all([...Array.from({ length: 6 }, client), trouble()]);
  console.info(JSON.stringify({ ...counts, calls: device.calls.length }));
  expect(counts.answered).toBeGreaterThan(20);
  device.fault = undefined;
  expect(runtime.stats().queue).toMatchObject({ rows: 0, bytes: 0 });
  for (const { waitingRows } of runtime.stats().devices.flatMap(({ stages }) => stages)) expect(waitingRows).toBe(0);
  expect(runtime.stats().devices[0]!.calls.running).toBe(0);
  for (const plan of plans) runtime.unregister(plan);
  expect(runtime.stats().devices[0]).toMatchObject({ stages: [], calls: { running: 0, reserved: 0 } });
  await until(() => device.stagesOpen === 0);
  await runtime.close();
  for (const program of programs) program.release();
  flour.dispose(); // nodes of programs hold parameters until the garbage collector frees the nodes
  expect(flour.store.stats().objects).toBe(0);
});
