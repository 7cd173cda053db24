import {
  createRegistry,
  createRuntime,
  type ModelRegistry,
  type ModelRegistryOptions,
  openStore,
  packFleet,
  type Runtime,
} from 'brezel';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { until } from '../../../testing/until.js';
import { temporaryFolder } from '../../brezel/test/fleet/folder.js';
import { addConstant, codeOf, constantPlan, constantSource, numberOf } from './models.js';

const files = temporaryFolder();
afterAll(() => files.remove());

async function open(options: ModelRegistryOptions = {}, clock?: ManualClock) {
  const runtime = createRuntime({ store: await openStore(), ...(clock && { clock }) });
  const registry = await createRegistry({ runtime, warm: true, ...options });
  return { runtime, registry };
}

/** Returns a source whose promise `prefaulted` resolves when the test calls `settle`. */
function slowSource(runtime: Runtime, answer: number, ownBytes?: number) {
  let settle: () => void = () => undefined;
  const prefaulted = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const unloaded = vi.fn();
  const load = async () => ({ plan: await constantPlan(runtime.store, answer, ownBytes), prefaulted, unloaded });
  return { source: { load }, settle: () => settle(), unloaded };
}

/** Resolves when `count` plans are registered in the runtime. */
const registered = (runtime: Runtime, count = 1) => until(() => runtime.stats().plans.length === count);

const loadedOf = (registry: ModelRegistry): string[] =>
  registry
    .stats()
    .versions.filter(({ loaded }) => loaded)
    .map(({ version }) => version)
    .toSorted();

describe('a registry with the option warm', () => {
  test('has a version only after its fleet file is in memory and its plan is warm', async () => {
    const { runtime, registry } = await open();
    const warm = vi.spyOn(runtime, 'warm');
    const { source, settle } = slowSource(runtime, 7);
    registry.add('film', source);
    const load = registry.load('film');
    const answer = registry.predict('film', 'x');
    await registered(runtime);
    expect([warm.mock.calls.length, registry.route('film').description]).toEqual([0, undefined]);
    expect(await codeOf(() => registry.predictSync('film', 'x'))).toBe('ERR_REGISTRY_NOT_LOADED');
    settle();
    await load;
    expect(warm).toHaveBeenCalledOnce();
    expect(registry.route('film').description).toMatchObject({ version: 'film@1' });
    expect(numberOf(await answer)).toBe(7);
    await registry.close();
    await runtime.close();
  });

  test('moves an alias after the new version is warm', async () => {
    const { runtime, registry } = await open();
    await addConstant(registry, 'film', 1);
    const { source, settle } = slowSource(runtime, 2);
    registry.add('film', source);
    const promoted = registry.promote('film', 2);
    await registered(runtime, 2);
    expect(numberOf(await registry.predict('film', 'x'))).toBe(1);
    settle();
    expect(await promoted).toBe(true);
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(2);
    await registry.close();
    await runtime.close();
  });

  test('waits at most 30 s for the pages of a file', async () => {
    const clock = new ManualClock();
    const { runtime, registry } = await open({}, clock);
    const { source } = slowSource(runtime, 7);
    registry.add('film', source);
    const load = registry.load('film');
    await clock.untilTimer(30_000);
    expect(registry.route('film').description).toBeUndefined();
    clock.advance(30_000);
    expect(await load).toMatchObject({ version: 'film@1' });
    await registry.close();
    await runtime.close();
  });

  test('waits for a file once, also if several of its plans are loaded', async () => {
    const clock = new ManualClock();
    const { runtime, registry } = await open({}, clock);
    const prefaulted = new Promise<void>(() => undefined);
    const names = ['film', 'book', 'song'];
    for (const [answer, name] of names.entries())
      registry.add(name, { load: async () => ({ plan: await constantPlan(runtime.store, answer), prefaulted }) });
    const load = registry.load('film');
    await clock.untilTimer(30_000);
    clock.advance(20_000);
    const other = registry.load('book');
    await registered(runtime, 2);
    clock.advance(10_000);
    await Promise.all([load, other]);
    await registry.load('song');
    expect(runtime.stats().plans).toHaveLength(3);
    await registry.close();
    await runtime.close();
  });

  test('after a failed warm-up, neither the runtime nor the source has the plan', async () => {
    const { runtime, registry } = await open();
    const { source, settle, unloaded } = slowSource(runtime, 7);
    registry.add('film', source);
    settle();
    const failure = Object.assign(new Error('no device'), { code: 'ERR_BACKEND_MISSING' });
    const warm = vi.spyOn(runtime, 'warm').mockRejectedValueOnce(failure);
    await expect(registry.load('film')).rejects.toMatchObject({ code: 'ERR_REGISTRY_LOAD', cause: failure });
    expect([runtime.stats().plans, unloaded.mock.calls.length, runtime.store.stats().objects]).toEqual([[], 1, 0]);
    expect(numberOf(await registry.predict('film', 'x'))).toBe(7);
    expect(warm).toHaveBeenCalledTimes(2);
    await registry.close();
    await runtime.close();
  });

  test('a version that is removed during its warm-up leaves nothing', async () => {
    const { runtime, registry } = await open();
    const { source, settle, unloaded } = slowSource(runtime, 7);
    registry.add('film', source);
    const load = codeOf(() => registry.load('film'));
    await registered(runtime);
    registry.removeAlias('film');
    const removed = registry.remove('film@1', { drainMs: 0 });
    expect([await load, await removed]).toEqual(['ERR_REGISTRY_REMOVED', false]);
    settle();
    await until(() => unloaded.mock.calls.length === 1);
    expect([runtime.stats().plans, runtime.store.stats().objects]).toEqual([[], 0]);
    await registry.close();
    await runtime.close();
  });

  test('close ends the wait for the pages of a file', async () => {
    const clock = new ManualClock();
    const { runtime, registry } = await open({}, clock);
    const { source, unloaded } = slowSource(runtime, 7);
    registry.add('film', source);
    const load = codeOf(() => registry.load('film'));
    await clock.untilTimer(30_000);
    const closed = registry.close({ drainMs: 0 });
    await clock.untilTimer(0);
    clock.advance(0);
    await closed;
    expect([runtime.stats().plans, unloaded.mock.calls.length, runtime.store.stats().objects]).toEqual([[], 1, 0]);
    expect([await load, clock.timers]).toEqual(['ERR_REGISTRY_REMOVED', 0]);
    await runtime.close();
  });

  test('close waits for a warm-up that it cannot end', async () => {
    const { runtime, registry } = await open();
    const { source, settle, unloaded } = slowSource(runtime, 7);
    settle();
    let finish: () => void = () => undefined;
    const warm = vi.spyOn(runtime, 'warm').mockImplementationOnce(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { parameterBytes: 0, executors: 0 };
    });
    registry.add('film', source);
    const load = codeOf(() => registry.load('film'));
    await until(() => warm.mock.calls.length === 1);
    let isClosed = false;
    const closed = registry.close({ drainMs: 0 }).then(() => {
      isClosed = true;
    });
    expect(await load).toBe('ERR_REGISTRY_REMOVED');
    expect([isClosed, runtime.stats().plans.length]).toEqual([false, 1]);
    finish();
    await closed;
    expect([runtime.stats().plans, unloaded.mock.calls.length]).toEqual([[], 1]);
    await runtime.close();
  });

  test('a plan that exceeds the memory budget is rejected before its warm-up', async () => {
    const { runtime, registry } = await open({ memoryBudgetBytes: 100_000 });
    const warm = vi.spyOn(runtime, 'warm');
    registry.add('film', constantSource(runtime.store, 1, 4000));
    await registry.load('film');
    const { source, unloaded } = slowSource(runtime, 2, 40_000);
    registry.add('book', source);
    expect(await codeOf(() => registry.load('book'))).toBe('ERR_REGISTRY_BUDGET');
    expect([warm.mock.calls.length, unloaded.mock.calls.length]).toEqual([1, 1]);
    expect(loadedOf(registry)).toEqual(['film@1']);
    await registry.close();
    await runtime.close();
  });

  test('a plan that is warming counts in the memory budget and stays', async () => {
    const { runtime, registry } = await open();
    for (const [answer, name] of ['film', 'book'].entries())
      registry.add(name, constantSource(runtime.store, answer, 4000));
    await registry.load('film');
    const one = runtime.parameterBytes();
    await registry.load('book');
    const bytes = [one, runtime.parameterBytes()];
    await registry.close();
    await runtime.close();
    // The plans share their vocabulary. The budget is sufficient for two of them.
    const limited = await open({ memoryBudgetBytes: bytes[1]! + 100 });
    const { source, settle } = slowSource(limited.runtime, 2, 4000);
    limited.registry.add('song', source);
    const song = limited.registry.load('song');
    await registered(limited.runtime);
    for (const [answer, name] of ['film', 'book'].entries())
      limited.registry.add(name, constantSource(limited.runtime.store, answer, 4000), { pin: name === 'book' });
    await limited.registry.load('film');
    await limited.registry.load('book');
    expect(loadedOf(limited.registry)).toEqual(['book@1']);
    expect(await codeOf(() => limited.registry.load('film'))).toBe('ERR_REGISTRY_BUDGET');
    settle();
    await song;
    expect(loadedOf(limited.registry)).toEqual(['book@1', 'song@1']);
    await limited.registry.close();
    await limited.runtime.close();
  });

  test('reads the parameters of a plan in a fleet file', async () => {
    const store = await openStore();
    const plan = await constantPlan(store, 7, 2 ** 12);
    const path = files.path('fleet.brezel');
    await packFleet([{ plan, name: 'film', rows: ['x'] }], path, { store });
    const { runtime, registry } = await open();
    const warm = vi.spyOn(runtime, 'warm');
    await registry.addFleet(path);
    await registry.load('film');
    const report = await warm.mock.results[0]!.value;
    expect(report.parameterBytes).toBeGreaterThan(runtime.isa === undefined ? -1 : 2 ** 12);
    await registry.close();
    await runtime.close();
  });
});

test('without the option, a load does not warm', async () => {
  const { runtime, registry } = await open({ warm: false });
  const warm = vi.spyOn(runtime, 'warm');
  const { source } = slowSource(runtime, 7);
  registry.add('film', source);
  expect(numberOf(await registry.predict('film', 'x'))).toBe(7);
  expect(warm).not.toHaveBeenCalled();
  await registry.close();
  await runtime.close();
});

test.each(['yes', 1, null])('warm: %j is rejected', async (warm) => {
  expect(await codeOf(() => createRegistry({ warm: warm as never }))).toBe('ERR_REGISTRY_OPTION');
});
