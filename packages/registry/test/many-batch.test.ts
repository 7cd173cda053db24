import { createFlour, createRegistry, createRuntime, defineOperator, type ModelRegistry, type OwnedPlan } from 'brezel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { addConstant, codeOf, constantPlan, constantSource, nextTurn, numberOf } from './models.js';

let registry: ModelRegistry;
beforeEach(async () => {
  registry = await createRegistry({ quarantineAfter: 2 });
});
afterEach(() => registry.close());

const failing = defineOperator({
  name: 'test-registry/many-failing',
  inputs: ['text'],
  output: 'float32',
  run: (text) => {
    if (text === 'fail') throw new Error('as asked');
    return text.length;
  },
});

async function failingPlan(): Promise<OwnedPlan> {
  using flour = await createFlour({ store: registry.store });
  const text = flour.columns({ text: 'string' }).select('text').custom(failing);
  return flour.program({ answer: text }, { name: 'failing' }).plan();
}

const versionOf = (reference: string) => registry.stats().versions.find(({ version }) => version === reference)!;
const countsOf = (reference: string) => {
  const { requests, failures } = versionOf(reference);
  return [requests, failures];
};

describe('predictManyBatch', () => {
  test('answers the rows with each reference, in order, and loads what is not loaded', async () => {
    await addConstant(registry, 'one', 1);
    const source = constantSource(registry.store, 2);
    registry.add('two', source);
    const lists = await registry.predictManyBatch(['two', 'one', 'two@1', 'one:default'], ['x', 'y', 'z']);
    expect(lists.map((list) => list.map(numberOf))).toEqual([
      [2, 2, 2],
      [1, 1, 1],
      [2, 2, 2],
      [1, 1, 1],
    ]);
    expect(source.loads).toBe(1);
    expect([countsOf('one@1'), countsOf('two@1')]).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(registry.stats().versions.map(({ inFlight }) => inFlight)).toEqual([0, 0]);
    const rows = ['x'];
    const answering = registry.predictManyBatch(['one', 'two'], rows);
    rows.push('y'); // the call has copied the list
    expect((await answering).map((list) => list.length)).toEqual([1, 1]);
    expect(await registry.predictManyBatch([], ['x'])).toEqual([]);
    expect(await registry.predictManyBatch(['one'], [])).toEqual([[]]);
  });

  test('uses the canary of the key and the shadow of each alias', async () => {
    await addConstant(registry, 'film', 1, { version: 1 });
    await addConstant(registry, 'film', 2, { version: 2 });
    await addConstant(registry, 'film', 3, { version: 3 });
    registry.canary('film', { to: 2, percent: 100 });
    registry.shadow('film', { to: 3 });
    const lists = await registry.predictManyBatch(['film', 'film@1'], ['x', 'y'], { key: 'user 7' });
    expect(lists.map((list) => list.map(numberOf))).toEqual([
      [2, 2],
      [1, 1],
    ]);
    const alias = () => registry.stats().aliases.find(({ alias }) => alias === 'film:default')!;
    while (alias().shadow!.compared < 2) await nextTurn();
    expect(alias()).toMatchObject({ canary: { requests: 1 }, shadow: { different: 2 } });
  });

  test('an invalid call is rejected before a version is loaded', async () => {
    const source = constantSource(registry.store, 2);
    registry.add('two', source);
    const call = (...given: unknown[]) =>
      codeOf(() => (registry.predictManyBatch as (...given: unknown[]) => Promise<unknown>).apply(registry, given));
    expect(await call(['two', 'other'], ['x'])).toBe('ERR_REGISTRY_UNKNOWN');
    expect(await call(['two', undefined], ['x'])).toBe('ERR_REGISTRY_REFERENCE');
    // biome-ignore lint/suspicious/noSparseArray: a hole is what the test is about
    expect(await call(['two', , 'two'], ['x'])).toBe('ERR_REGISTRY_REFERENCE');
    for (const wrong of [undefined, null, 'two', 7, { length: 1, 0: 'two' }])
      expect(await call(wrong, ['x'])).toBe('ERR_REGISTRY_REFERENCE');
    expect(await call(['two'], ['x'], { contributions: true })).toBe('ERR_REGISTRY_OPTION');
    expect(await call(['two'], ['x'], { deadlineMs: -1 })).toBe('ERR_RUNTIME_OPTION');
    const reason = new Error('no longer wanted');
    await expect(registry.predictManyBatch(['two'], ['x'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect([source.loads, ...countsOf('two@1')]).toEqual([0, 0, 0]);
    registry.canary('two', { to: registry.add('two', source).split('@')[1]!, percent: 50 });
    expect(await call(['two', 'other'], ['x'])).toBe('ERR_REGISTRY_UNKNOWN');
    // only the calls with a negative deadline and with an aborted signal have chosen a version
    expect(registry.stats().aliases[0]).toMatchObject({ requests: 2 });
    registry.setAlias('two', 1);
    expect(await call(['two'], 'x')).toBe('ERR_RUNTIME_INPUT');
    expect(await call(['two'], ['x', 7])).toBe('ERR_RUNTIME_INPUT');
    expect(await call(['two'], ['x'], { engine: 'bogus' })).toBe('ERR_RUNTIME_ENGINE');
    expect(countsOf('two@1')).toEqual([3, 0]);
    await registry.close();
    expect(await call([], ['x'])).toBe('ERR_REGISTRY_CLOSED');
    expect(await call(['two'], ['x'])).toBe('ERR_REGISTRY_CLOSED');
  });

  test('only the version that fails counts a failure and is quarantined', async () => {
    const plan = await failingPlan();
    registry.add('bad', plan);
    plan.release();
    await addConstant(registry, 'one', 1);
    await addConstant(registry, 'two', 2);
    const references = ['one', 'bad', 'two'];
    for (let time = 0; time < 2; time++)
      expect(await codeOf(() => registry.predictManyBatch(references, ['x', 'fail']))).toBe('ERR_RUNTIME_CUSTOM');
    expect(references.map((name) => countsOf(`${name}@1`))).toEqual([
      [2, 0],
      [2, 2],
      [2, 0],
    ]);
    expect(await codeOf(() => registry.predictManyBatch(references, ['x']))).toBe('ERR_REGISTRY_QUARANTINED');
    expect(registry.stats().versions.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0]);
    registry.release('bad');
    expect(await registry.predictManyBatch(references, ['x'])).toHaveLength(3);
  });

  test('a load that fails ends the request, and only its version counts a failure', async () => {
    registry.add('broken', { load: () => Promise.reject(new Error('no such file')) });
    const source = constantSource(registry.store, 2);
    registry.add('two', source);
    expect(await codeOf(() => registry.predictManyBatch(['two', 'broken'], ['x']))).toBe('ERR_REGISTRY_LOAD');
    expect([countsOf('two@1'), countsOf('broken@1')]).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(numberOf((await registry.predictManyBatch(['two'], ['x']))[0]![0]!)).toBe(2);
    expect(source.loads).toBe(1);
  });

  test('all versions must fit into the memory budget together', async () => {
    // A plan takes 60 kB. Both plans share all but 4 kB.
    const small = await createRegistry({ memoryBudgetBytes: 61_000 });
    for (const [name, answer] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      small.add(name, constantSource(small.store, answer, 4000));
    expect(await codeOf(() => small.predictManyBatch(['a', 'b'], ['x']))).toBe('ERR_REGISTRY_BUDGET');
    expect(small.stats().versions.map(({ inFlight }) => inFlight)).toEqual([0, 0]);
    expect(await small.predictManyBatch(['a'], ['x'])).toHaveLength(1);
    expect(await small.predictManyBatch(['b'], ['x'])).toHaveLength(1);
    await small.close();
  });

  test('the deadline and the signal end the wait for a load, and the load continues', async () => {
    const clock = new ManualClock();
    const runtime = createRuntime({ store: registry.store, clock });
    const own = await createRegistry({ runtime });
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    own.add('late', {
      async load() {
        await arrived;
        return { plan: await constantPlan(own.store, 4) };
      },
    });
    await addConstant(own, 'one', 1);
    const late = codeOf(() => own.predictManyBatch(['one', 'late'], ['x'], { deadlineMs: 50 }));
    const controller = new AbortController();
    const aborted = own.predictManyBatch(['one', 'late'], ['x'], { signal: controller.signal }).catch((error) => error);
    await nextTurn();
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    clock.advance(60);
    expect(await late).toBe('ERR_RUNTIME_DEADLINE');
    expect(own.stats().versions.map(({ inFlight, failures }) => inFlight + failures)).toEqual([0, 0]);
    arrive();
    const lists = await own.predictManyBatch(['late', 'one'], ['x']);
    expect(lists.map((list) => numberOf(list[0]!))).toEqual([4, 1]);
    await own.close();
    await runtime.close();
  });

  test('a version that is removed during the call is named', async () => {
    await addConstant(registry, 'one', 1, { version: 1 });
    await addConstant(registry, 'two', 2, { version: 1 });
    const rows = new Array<string>(20_000).fill('some words of a text');
    const running = registry.predictManyBatch(['one', 'two'], rows).catch((error) => error);
    await nextTurn();
    expect(await registry.remove('two', { drainMs: 0 })).toBe(false);
    expect(await running).toMatchObject({ code: 'ERR_REGISTRY_REMOVED', details: { at: 'two@1' } });
    expect(countsOf('one@1')).toEqual([1, 0]);
  });
});
