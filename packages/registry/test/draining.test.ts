import { createRegistry, createRuntime, openStore, type PlanSource } from 'brezel';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { addConstant, codeOf, constantPlan, constantSource, nextTurn, numberOf } from './models.js';

/** Enough rows that a batch takes several turns of the event loop. */
const rows = Array.from({ length: 20_000 }, (_, row) => `text ${row % 7} and more`);

/** A source that loads when `open` is called. */
function heldSource(plan: () => Promise<Awaited<ReturnType<typeof constantPlan>>>) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const source: PlanSource = { load: () => gate.then(async () => ({ plan: await plan() })) };
  return { source, open };
}

describe('a version that is removed', () => {
  test('is unknown immediately, and answers requests in flight', async () => {
    const registry = await createRegistry();
    await addConstant(registry, 'film', 1);
    const batch = registry.predictBatch('film', rows);
    const removed = registry.remove('film');
    expect(registry.has('film')).toBe(false);
    expect(await codeOf(() => registry.predictSync('film', 'x'))).toBe('ERR_REGISTRY_UNKNOWN');
    expect(registry.stats().versions).toMatchObject([{ version: 'film@1', state: 'leaving', inFlight: 1 }]);
    expect(new Set((await batch).map(numberOf))).toEqual(new Set([1]));
    expect(await removed).toBe(true);
    expect(registry.stats()).toMatchObject({ versions: [], bytes: 0 });
    await addConstant(registry, 'film', 2); // the name is free again
    expect(numberOf(registry.predictSync('film@1', 'x'))).toBe(2);
    await registry.close();
  });

  test('answers requests that wait for its load', async () => {
    const registry = await createRegistry();
    const { source, open } = heldSource(() => constantPlan(registry.store, 5));
    registry.add('film', source);
    const asked = registry.predict('film', 'x');
    const removed = registry.remove('film');
    open();
    expect(numberOf(await asked)).toBe(5);
    expect(await removed).toBe(true);
    await registry.close();
    expect(registry.store.stats().objects).toBe(0);
  });

  test('ends a batch and requests that wait for a load when drainMs has passed', async () => {
    const registry = await createRegistry();
    const held = heldSource(() => constantPlan(registry.store, 5));
    await addConstant(registry, 'film', 1);
    registry.add('book', held.source);
    const [batch, waiting] = [registry.predictBatch('film', rows), registry.predict('book', 'x')];
    const failures = Promise.all([codeOf(() => batch), codeOf(() => waiting)]);
    expect(
      await Promise.all([registry.remove('film', { drainMs: 0 }), registry.remove('book', { drainMs: 0 })]),
    ).toEqual([false, false]);
    expect(await failures).toEqual(['ERR_REGISTRY_REMOVED', 'ERR_REGISTRY_REMOVED']);
    held.open(); // the registry releases plans that load after the removal
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(registry.store.stats().references).toBe(0);
    expect(await codeOf(() => registry.remove('film', { drainMs: -1 }))).toBe('ERR_REGISTRY_OPTION');
    await registry.close();
  });

  test('a version can be removed while its alias points to another version; a name alone removes all versions', async () => {
    const registry = await createRegistry();
    for (const version of [1, 2, 3]) await addConstant(registry, 'film', version);
    expect(await codeOf(() => registry.remove('film@1'))).toBe('ERR_REGISTRY_ALIASED');
    expect(await codeOf(() => registry.remove('film:default'))).toBe('ERR_REGISTRY_REFERENCE');
    expect(await codeOf(() => registry.remove('film@9'))).toBe('ERR_REGISTRY_UNKNOWN');
    registry.setAlias('film', 2);
    expect(await registry.remove('film@1')).toBe(true);
    expect(registry.model('film')).toMatchObject({ versions: ['2', '3'] });
    expect(await registry.remove('film')).toBe(true);
    expect(registry.model('film')).toBeUndefined();
    await registry.close();
  });
});

describe('moving an alias', () => {
  test('while batches run loses, repeats and mixes no answers', async () => {
    const registry = await createRegistry();
    for (const version of [1, 2]) await addConstant(registry, 'film', version);
    const batches: Promise<number[]>[] = [];
    for (let swap = 0; swap < 10; swap++) {
      registry.setAlias('film', 1 + (swap % 2));
      batches.push(registry.predictBatch('film', rows.slice(0, 3000)).then((answers) => answers.map(numberOf)));
      await nextTurn();
    }
    for (const [swap, answers] of (await Promise.all(batches)).entries())
      expect(answers).toEqual(new Array(3000).fill(1 + (swap % 2)));
    await registry.close();
  });
});

describe('closing', () => {
  test('answers requests in flight, and no later requests', async () => {
    const registry = await createRegistry();
    const held = heldSource(() => constantPlan(registry.store, 2));
    await addConstant(registry, 'film', 1);
    registry.add('book', held.source);
    const [batch, waiting] = [registry.predictBatch('film', rows), registry.predict('book', 'x')];
    const closed = registry.close();
    expect(registry.close()).toBe(closed);
    const { store } = registry;
    for (const call of [
      () => registry.predictSync('film', 'x'),
      () => registry.predict('film', 'x'),
      () => registry.add('other', constantSource(store, 1)),
      () => registry.setAlias('film', 1),
      () => registry.remove('film'),
      () => registry.promote('film', 1),
      () => registry.load('film'),
      () => registry.resolve('film'),
    ])
      expect(await codeOf(call)).toBe('ERR_REGISTRY_CLOSED');
    held.open();
    expect((await batch).length).toBe(rows.length);
    expect(numberOf(await waiting)).toBe(2);
    await closed;
    expect(store.stats().references).toBe(0);
  });

  test('with drainMs 0, requests in flight fail, and a load that ends later frees its plan', async () => {
    const registry = await createRegistry();
    const held = heldSource(() => constantPlan(registry.store, 2));
    await addConstant(registry, 'film', 1);
    registry.add('book', held.source);
    const batch = codeOf(() => registry.predictBatch('film', rows));
    const waiting = codeOf(() => registry.predict('book', 'x'));
    const removed = registry.remove('film'); // the removal waits longer than `close`
    await registry.close({ drainMs: 0 });
    expect([await batch, await waiting]).toEqual(['ERR_REGISTRY_REMOVED', 'ERR_REGISTRY_REMOVED']);
    expect(typeof (await removed)).toBe('boolean');
    held.open();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(registry.store.stats().references).toBe(0);
  });

  test("a runtime that the user created stays open, with the user's plans", async () => {
    const store = await openStore();
    const runtime = createRuntime({ store });
    const plan = await constantPlan(store, 1);
    const own = runtime.register(plan);
    const registry = await createRegistry({ runtime });
    registry.add('film', plan);
    plan.release();
    expect(runtime.stats().plans).toHaveLength(2);
    await registry.close();
    expect(numberOf(runtime.predictSync(own, 'x'))).toBe(1);
    await runtime.close();
    expect(store.stats().objects).toBe(0);
  });

  test('is possible after the runtime was closed', async () => {
    const store = await openStore();
    const runtime = createRuntime({ store });
    const registry = await createRegistry({ runtime });
    registry.add('film', constantSource(store, 1));
    await registry.load('film');
    await runtime.close();
    expect(await codeOf(() => registry.predictSync('film', 'x'))).toBe('ERR_RUNTIME_CLOSED');
    await registry.close();
  });
});

describe('a request with a deadline or a signal', () => {
  test('stops waiting for a load, and the load continues for other requests', async () => {
    const registry = await createRegistry({ quarantineAfter: 1 });
    const held = heldSource(() => constantPlan(registry.store, 4));
    registry.add('film', held.source);
    const leaving = new AbortController();
    const calls = [
      codeOf(() => registry.predict('film', 'x', { deadlineMs: 5 })),
      codeOf(() => registry.predictBatch('film', ['x'], { deadlineMs: 5 })),
      registry.predict('film', 'x', { signal: leaving.signal }).catch((error) => error),
    ];
    const patient = registry.predict('film', 'x', { deadlineMs: 1e12 });
    const reason = new Error('the user went home');
    leaving.abort(reason);
    expect(await Promise.all(calls)).toEqual(['ERR_RUNTIME_DEADLINE', 'ERR_RUNTIME_DEADLINE', reason]);
    held.open();
    expect(numberOf(await patient)).toBe(4);
    expect(registry.stats().versions).toMatchObject([{ failures: 0, loads: 1, inFlight: 0, state: 'loaded' }]);
    await registry.close();
  });

  test('has a deadline at any fraction of a millisecond, although timers use whole milliseconds and may fire early', async () => {
    const clock = new ManualClock({ earlyMs: 0.9 }); // timers may fire too early
    const store = await openStore();
    const runtime = createRuntime({ store, clock });
    const registry = await createRegistry({ runtime, quarantineAfter: 1 });
    const held = heldSource(() => constantPlan(registry.store, 4));
    registry.add('film', held.source);
    for (let part = 0; part < 1; part += 0.05) {
      clock.advance(part);
      const call = codeOf(() => registry.predict('film', 'x', { deadlineMs: 2.001 }));
      expect(await clock.run(call, 0.25)).toBe('ERR_RUNTIME_DEADLINE');
    }
    held.open();
    await registry.close();
    await runtime.close();
  });

  test('stops waiting for its answers, which is not a failure of the version', async () => {
    const clock = new ManualClock();
    const store = await openStore();
    await using runtime = createRuntime({ store, clock });
    const registry = await createRegistry({ runtime, quarantineAfter: 1 });
    await addConstant(registry, 'film', 1);
    const late = codeOf(() => registry.predictBatch('film', rows, { deadlineMs: 1 }));
    clock.advance(1);
    expect(await late).toBe('ERR_RUNTIME_DEADLINE');
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = registry.predictBatch('film', rows, { signal }).catch((error) => error);
    leaving.abort();
    expect((await left).name).toBe('AbortError');
    expect((await registry.predict('film', 'x', { signal }).catch((error) => error)).name).toBe('AbortError');
    expect(await codeOf(() => registry.predict('film', 'x', { deadlineMs: 0 }))).toBe('ERR_RUNTIME_OPTION');
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(1);
    expect(registry.stats().versions).toMatchObject([{ failures: 0, inFlight: 0 }]);
    await registry.close();
  });

  test('fails behind a full queue', async () => {
    const store = await openStore();
    const runtime = createRuntime({ store, limits: { maxQueuedRows: 10 } });
    const registry = await createRegistry({ runtime, quarantineAfter: 1 });
    await addConstant(registry, 'film', 1);
    expect(await codeOf(() => registry.predictBatch('film', rows))).toBe('ERR_RUNTIME_OVERLOADED');
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(1);
    await registry.close();
    await runtime.close();
  });
});
