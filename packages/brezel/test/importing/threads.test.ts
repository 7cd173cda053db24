import { readFileSync, writeFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import {
  createFlour,
  createRegistry,
  createRuntime,
  type FlourContext,
  importModelAsync,
  importOnnx,
  openStore,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { until } from '../../../../testing/until.js';
import { codeOf, numberOf, onnxModel } from '../../../registry/test/models.js';
import { temporaryFolder } from '../fleet/folder.js';
import { settled } from './both-ways.js';

// Import threads start, abort, die, close, and end when they are idle.

const model = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
const files = temporaryFolder();
const path = files.path('film.onnx');
const started: Worker[] = [];
const onWorker = (worker: Worker) => started.push(worker);
const isAlive = (worker: Worker) => worker.threadId >= 0;
beforeAll(() => {
  writeFileSync(path, model);
  process.on('worker', onWorker);
});
afterAll(() => {
  process.off('worker', onWorker);
  files.remove();
});

describe('importModelAsync', () => {
  let flour: FlourContext;
  beforeAll(async () => {
    flour = await createFlour();
  });
  const objects = () => flour.store.stats().objects;

  test('returns a plan for a runtime, and does not change the bytes', async () => {
    const before = Buffer.from(model);
    const plan = await importModelAsync(model, flour, { name: 'film' });
    expect(plan.name).toBe('film');
    expect(Buffer.compare(model, before)).toBe(0);
    await using runtime = createRuntime({ store: flour.store });
    const expected = importOnnx(model, flour).program.plan();
    const row = { text: 'a good film' };
    const key = plan.inputs[0]!.name;
    const answers = [plan, expected].map((one) => runtime.predictSync(runtime.register(one), { [key]: row.text }));
    expect(answers[0]).toEqual(answers[1]);
    plan.release();
    expected.release();
    flour.dispose();
  });

  test('the event loop runs during the import', async () => {
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    turn();
    const plan = await importModelAsync(model, flour);
    isDone = true;
    plan.release();
    expect(turns).toBeGreaterThan(3);
  });

  test('a signal ends an import before it starts, while it waits, and while it runs', async () => {
    const reason = new Error('no longer needed');
    const aborted = AbortSignal.abort(reason);
    await expect(importModelAsync(model, flour, { signal: aborted })).rejects.toBe(reason);
    const controllers = [new AbortController(), new AbortController()];
    const imports = controllers.map(({ signal }) => settled(() => importModelAsync(model, flour, { signal })));
    const last = importModelAsync(model, flour);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    for (const controller of controllers) controller.abort(reason);
    expect((await Promise.all(imports)).map(({ error }) => error)).toEqual([reason, reason]);
    (await last).release();
    expect(objects()).toBe(0);
  });

  test('options that cannot be sent, and unknown ones', async () => {
    const box = { blackBox: (() => true) as never };
    await expect(importModelAsync(model, flour, box)).rejects.toMatchObject({ code: 'ERR_IMPORT_OPTION' });
    const progress = { progress: () => undefined } as never;
    await expect(importModelAsync(model, flour, progress)).rejects.toMatchObject({ code: 'ERR_IMPORT_OPTION' });
    await expect(importModelAsync(model, {} as never)).rejects.toMatchObject({ code: 'ERR_IMPORT_OPTION' });
    await expect(importModelAsync('model.onnx' as never, flour)).rejects.toMatchObject({ code: 'ERR_IMPORT_OPTION' });
    const observing = await createFlour({ observe: () => undefined });
    await expect(importModelAsync(model, observing)).rejects.toMatchObject({ code: 'ERR_IMPORT_OPTION' });
    (await importModelAsync(model, flour)).release(); // the thread continues
    expect(objects()).toBe(0);
  });

  test('limits of other formats are ignored, and unknown limits are rejected', async () => {
    const limited = (limits: object) => importModelAsync(model, flour, { limits });
    await expect(limited({ nodes: 1 })).rejects.toMatchObject({ code: 'ERR_ONNX_LIMIT' });
    (await limited({ unpackedBytes: 1, nodes: 10_000 })).release();
    await expect(limited({ nods: 1 })).rejects.toMatchObject({
      code: 'ERR_IMPORT_OPTION',
      message: expect.stringMatching(/limits\.nodes.*limits\.nods/),
    });
  });

  test('an error while the calling thread takes parameters releases them', async () => {
    using own = await createFlour();
    const { store } = own;
    const take = store.take.bind(store);
    let taken = 0;
    store.take = (parameter) => {
      if (++taken === 2) throw new Error('a stale handle');
      take(parameter);
    };
    await expect(importModelAsync(model, own)).rejects.toThrow('a stale handle');
    expect([taken, store.stats().objects]).toEqual([2, 0]);
    store.take = take;
    const plan = await importModelAsync(model, own);
    expect(store.stats().objects).toBe(plan.parameters.length);
    plan.release();
    expect(store.stats().objects).toBe(0);
  });

  test('without the addon, parameters are in shared memory', async () => {
    const plain = await createFlour({ native: false });
    const plan = await importModelAsync(model, plain);
    const expected = importOnnx(model, plain).program.plan();
    expect(plan.parameters).toEqual(expected.parameters);
    await using runtime = createRuntime({ store: plain.store });
    expect(runtime.register(plan).engine).toBe('wasm');
  });
});

/** Counts the timers that were cancelled. */
class PauseCounter extends ManualClock {
  cancelled = 0;

  override setTimeout(call: () => void, delayMs: number) {
    const timer = super.setTimeout(call, delayMs);
    const handle = {
      cancel: () => {
        this.cancelled++;
        timer.cancel();
      },
      unref: () => handle,
    };
    return handle;
  }
}

describe('a registry', () => {
  test('imports on one thread, which ends after an idle time', async () => {
    const clock = new ManualClock();
    const runtime = createRuntime({ store: await openStore(), clock });
    const registry = await createRegistry({ runtime, importThreads: 1 });
    const from = started.length;
    registry.add('film', path);
    registry.add('review', path);
    await Promise.all([registry.load('film'), registry.load('review')]);
    const threads = started.slice(from);
    expect(threads).toHaveLength(1);
    const [thread] = threads as [Worker];
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    clock.advance(29_000);
    expect(isAlive(thread)).toBe(true);
    clock.advance(1_000);
    await ended;
    registry.add('third', path); // starts another thread
    await registry.load('third');
    expect(started.length - from).toBe(2);
    await registry.close();
    await runtime.close();
    expect(started.slice(from).some(isAlive)).toBe(false);
    expect(registry.store.stats().objects).toBe(0);
  });

  test('imports on as many threads as importThreads at the same time', async () => {
    const registry = await createRegistry({ importThreads: 3 });
    const from = started.length;
    for (const name of ['film', 'review', 'third', 'fourth']) registry.add(name, path);
    await Promise.all(['film', 'review', 'third', 'fourth'].map((name) => registry.load(name)));
    expect(started.length - from).toBe(3);
    await registry.close();
  });

  test('the timeout of a load starts when its import starts', async () => {
    const clock = new PauseCounter();
    const runtime = createRuntime({ store: await openStore(), clock });
    const registry = await createRegistry({ runtime, loadTimeoutMs: 500, importThreads: 1 });
    const from = started.length;
    registry.add('film', path);
    registry.add('review', path);
    const first = settled(() => registry.load('film'));
    while (started.length === from) await new Promise((resolve) => setImmediate(resolve));
    const second = settled(() => registry.load('review'));
    // Both loads have paused their timers, and the first one has continued.
    await until(() => clock.cancelled >= 3);
    clock.advance(500); // ends the first load; the second one waits for the thread
    expect(((await first).error as { code: string }).code).toBe('ERR_REGISTRY_LOAD');
    expect((await second).error).toBeUndefined();
    await registry.close();
    await runtime.close();
  });

  test('with importThreads: 0, the calling thread imports', async () => {
    const from = started.length;
    const registry = await createRegistry({ importThreads: 0, oven: { observe: () => undefined } });
    registry.add('film', path);
    await registry.load('film');
    expect(started.length).toBe(from);
    await registry.close();
  });

  test('options out of range, and functions that cannot be sent', async () => {
    for (const options of [
      { importThreads: -1 },
      { importThreads: 1.5 },
      { importHeapBytes: 1000 },
      { importThreads: 0, importHeapBytes: 64 * 2 ** 20 },
      { oven: { observe: () => undefined } },
      { oven: { rules: [] } },
    ])
      expect(await codeOf(() => createRegistry(options))).toBe('ERR_REGISTRY_OPTION');
  });

  test('a thread that runs out of memory fails its load only', async () => {
    const registry = await createRegistry({ importHeapBytes: 64 * 2 ** 20 });
    const hungry = files.path('hungry.json');
    const list = `[${'0,'.repeat(99)}0],`; // four times as large in memory
    writeFileSync(hungry, `{"version":[2,0,0],"learner":{"gradient_booster":[${list.repeat(100_000)}[]]}}`);
    registry.add('hungry', hungry);
    registry.add('film', path);
    await expect(registry.load('hungry')).rejects.toMatchObject({
      code: 'ERR_REGISTRY_LOAD',
      cause: { code: 'ERR_IMPORT_THREAD' },
    });
    expect(registry.store.stats().objects).toBe(0);
    await registry.load('film');
    await registry.close();
  });

  test('closing it ends imports in flight', async () => {
    const registry = await createRegistry({ importThreads: 1 });
    const from = started.length;
    registry.add('film', path);
    const loading = settled(() => registry.load('film'));
    while (started.length === from) await new Promise((resolve) => setImmediate(resolve));
    const [thread] = started.slice(from) as [Worker];
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    await registry.close({ drainMs: 0 });
    expect(((await loading).error as { code: string }).code).toBe('ERR_REGISTRY_REMOVED');
    await ended;
    expect(registry.store.stats().objects).toBe(0);
  });

  test('registries share a thread, also when one of them closes', async () => {
    const first = await createRegistry();
    const second = await createRegistry();
    for (const registry of [first, second]) registry.add('film', path);
    const loading = settled(() => first.load('film'));
    const other = second.load('film');
    await first.close({ drainMs: 0 });
    expect(((await loading).error as { code: string }).code).toBe('ERR_REGISTRY_REMOVED');
    expect(await other).toMatchObject({ version: 'film@1' });
    expect(first.store.stats().objects).toBe(0);
    await second.close();
    expect(second.store.stats().objects).toBe(0);
  });

  test('a load that takes too long ends its thread', async () => {
    const clock = new ManualClock();
    const runtime = createRuntime({ store: await openStore(), clock });
    const registry = await createRegistry({ runtime, loadTimeoutMs: 500, importThreads: 1 });
    const from = started.length;
    registry.add('film', path);
    const loading = settled(() => registry.load('film'));
    while (started.length === from) await new Promise((resolve) => setImmediate(resolve));
    const [thread] = started.slice(from) as [Worker];
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    // After this event, the thread has its task, and loads its code.
    await new Promise((resolve) => thread.once('online', resolve));
    clock.advance(500);
    expect(((await loading).error as { code: string }).code).toBe('ERR_REGISTRY_LOAD');
    await ended;
    expect(await registry.load('film')).toMatchObject({ version: 'film@1' });
    await registry.close();
    await runtime.close();
  });

  test('a model of two numbers', async () => {
    const registry = await createRegistry();
    const two = files.path('two.onnx');
    writeFileSync(two, onnxModel(7));
    registry.add('two', two);
    expect(numberOf(await registry.predict('two', { x: [1, 2] }))).toBe(7);
    await registry.close();
  });
});
