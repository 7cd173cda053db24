import { writeFileSync } from 'node:fs';
import {
  createRegistry,
  createRuntime,
  type ModelRegistryOptions,
  openFleet,
  openStore,
  type PlanSource,
  packFleet,
  Runtime,
  referenceKernel,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { until } from '../../../testing/until.js';
import { temporaryFolder } from '../../brezel/test/fleet/folder.js';
import { codeOf, constantPlan, constantSource, nextTurn, numberOf, writeOnnx } from './models.js';

const files = temporaryFolder();
afterAll(() => files.remove());

const open = (options: ModelRegistryOptions = {}) => createRegistry(options);
const openWithClock = async (clock: ManualClock, options: ModelRegistryOptions) =>
  open({ ...options, runtime: createRuntime({ store: await openStore(), clock }) });
const states = (registry: Awaited<ReturnType<typeof open>>) =>
  Object.fromEntries(registry.stats().versions.map(({ version, state }) => [version, state]));

describe('loading', () => {
  test('happens at the first prediction, and once for concurrent requests', async () => {
    const registry = await open();
    const source = constantSource(registry.store, 7);
    registry.add('film', source);
    expect(states(registry)).toEqual({ 'film@1': 'unloaded' });
    expect(await codeOf(() => registry.predictSync('film', 'x'))).toBe('ERR_REGISTRY_NOT_LOADED');
    expect(source.loads).toBe(0);
    const asked = Array.from({ length: 50 }, () => registry.predict('film', 'x'));
    const batch = registry.predictBatch('film', ['x', 'y']);
    expect(states(registry)).toEqual({ 'film@1': 'loading' });
    const described = await registry.load('film');
    expect(described).toMatchObject({ version: 'film@1', width: 1, inputs: [{ name: 'text' }] });
    expect((await Promise.all(asked)).map(numberOf)).toEqual(new Array(50).fill(7));
    expect((await batch).map(numberOf)).toEqual([7, 7]);
    expect(source.loads).toBe(1);
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(7);
    expect(registry.unload('film')).toBe(true);
    expect(registry.unload('film')).toBe(false);
    expect(registry.store.stats().objects).toBe(0);
    expect(numberOf(await registry.predict('film', 'x'))).toBe(7);
    expect(source.loads).toBe(2);
    await registry.close();
    expect(registry.store.stats().objects).toBe(0);
  });

  test('a model with NaN in its weights is rejected, or accepted with the option', async () => {
    const path = files.path('broken.onnx');
    writeOnnx(path, Number.NaN);
    const refusing = await open();
    refusing.add('film', path);
    refusing.add('taken', { path, nonFinite: 'allow' });
    expect(await codeOf(() => refusing.load('film'))).toBe('ERR_REGISTRY_LOAD');
    await expect(refusing.load('film')).rejects.toMatchObject({ cause: { code: 'ERR_ONNX_WEIGHT' } });
    expect(numberOf(await refusing.predict('taken', { x: [1, 2] }))).toBe(Number.NaN);
    await refusing.close();
    const allowing = await open({ nonFinite: 'allow' });
    allowing.add('film', path);
    allowing.add('refused', { path, nonFinite: 'refuse' });
    expect(numberOf(await allowing.predict('film', { x: [1, 2] }))).toBe(Number.NaN);
    expect(await codeOf(() => allowing.load('refused'))).toBe('ERR_REGISTRY_LOAD');
    await allowing.close();
    const wrong = 'maybe' as never;
    expect(await codeOf(() => open({ nonFinite: wrong }))).toBe('ERR_REGISTRY_OPTION');
    expect(await codeOf(async () => (await open()).add('film', { path, nonFinite: wrong }))).toBe(
      'ERR_REGISTRY_OPTION',
    );
  });

  test.each([0, 1])(
    'limits of imports, of the registry and of a version, with %i import threads',
    async (importThreads) => {
      const path = files.path('limited.onnx');
      writeOnnx(path, 7);
      const registry = await open({ importThreads, limits: { nodes: 0, entries: 3 } });
      registry.add('film', path);
      registry.add('open', { path, limits: { nodes: 1 } });
      registry.add('small', { path, limits: { nodes: 1, fileBytes: 10 } });
      for (const [name, limit] of [
        ['film', 'nodes'],
        ['small', 'fileBytes'],
      ])
        await expect(registry.load(name!)).rejects.toMatchObject({
          code: 'ERR_REGISTRY_LOAD',
          cause: { code: 'ERR_ONNX_LIMIT', hint: expect.stringContaining(`limits: { ${limit}: `) },
        });
      expect(numberOf(await registry.predict('open', { x: [1, 2] }))).toBe(7);
      await registry.close();
      expect(registry.store.stats().objects).toBe(0);
    },
  );

  test('unknown and invalid limits, and unknown fields of a file, are rejected', async () => {
    const near = { code: 'ERR_REGISTRY_OPTION', message: expect.stringMatching(/nodes.*nods/) };
    await expect(open({ limits: { nods: 5 } as never })).rejects.toMatchObject(near);
    const registry = await open();
    for (const limits of [{ nodes: -1 }, { steps: '5' }, [], null, 5])
      expect(await codeOf(() => open({ limits: limits as never }))).toBe('ERR_REGISTRY_OPTION');
    for (const file of [{ limits: { nods: 5 } }, { limits: { nodes: Number.NaN } }, { nonFinit: 'allow' }])
      expect(await codeOf(() => registry.add('film', { path: 'film.onnx', ...file } as never))).toBe(
        'ERR_REGISTRY_OPTION',
      );
    expect(registry.names()).toEqual([]);
    await registry.close();
  });

  test('a compiled plan is loaded immediately and stays, also after its owner releases it', async () => {
    const registry = await open({ memoryBudgetBytes: 1 << 20 });
    const plan = await constantPlan(registry.store, 3);
    registry.add('film', plan);
    plan.release();
    expect(registry.unload('film')).toBe(false);
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(3);
    await registry.close();
    expect(registry.store.stats().objects).toBe(0);
  });

  test('reads ONNX files, fleet files, their plans, and open fleets', async () => {
    const store = await openStore();
    const [one, two] = [await constantPlan(store, 1), await constantPlan(store, 2)];
    await packFleet([{ plan: one, name: 'one' }], files.path('one.brezel'), { store });
    await packFleet(
      [
        { plan: one, name: 'one' },
        { plan: two, name: 'two' },
      ],
      files.path('both.brezel'),
      { store },
    );
    for (const plan of [one, two]) plan.release();
    writeOnnx(files.path('three.onnx'), 3);

    const registry = await open({ store });
    const fleet = await openFleet(files.path('both.brezel'), { store });
    registry.add('a', files.path('one.brezel'));
    registry.add('b', { path: files.path('both.brezel'), plan: 'two' });
    registry.add('c', new URL(`file://${files.path('three.onnx')}`));
    registry.add('d', { fleet, plan: 'two' });
    expect(await registry.addFleet(files.path('both.brezel'), { version: 'x', aliases: ['live'] })).toEqual([
      'one@x',
      'two@x',
    ]);
    const texts = await Promise.all(
      ['a', 'b', 'd', 'one', 'two:live'].map(async (name) => numberOf(await registry.predict(name, 'x'))),
    );
    expect(texts).toEqual([1, 2, 2, 1, 2]);
    expect(numberOf(await registry.predict('c', { x: [5, 6] }))).toBe(3);
    fleet.close();
    // `addFleet` adds all plans or none. The second plan has this version already.
    await registry.remove('one');
    expect(await codeOf(() => registry.addFleet(files.path('both.brezel'), { version: 'x' }))).toBe(
      'ERR_REGISTRY_EXISTS',
    );
    expect(registry.has('one')).toBe(false);
    await registry.close();
    expect(store.stats()).toMatchObject({ objects: 0, references: 0 });
  });

  test('invalid files are reported with the reason, and can be replaced', async () => {
    const registry = await open({ quarantineAfter: 100 });
    registry.add('gone', files.path('no such file.onnx'));
    registry.add('folder', files.path('.'));
    writeOnnx(files.path('broken.onnx'), 1);
    registry.add('ambiguous', files.path('both.brezel'));
    registry.add('plan', { path: files.path('both.brezel'), plan: 'no such plan' });
    writeFileSync(files.path('broken.onnx'), 'not a model');
    registry.add('broken', files.path('broken.onnx'));
    for (const name of ['gone', 'folder', 'ambiguous', 'plan', 'broken']) {
      const failure = await registry.predict(name, 'x').catch((error) => error);
      expect(failure.code).toBe('ERR_REGISTRY_LOAD');
      expect(failure.message).toContain(`${name}@1`);
    }
    writeOnnx(files.path('broken.onnx'), 4);
    expect(numberOf(await registry.predict('broken', { x: [0, 0] }))).toBe(4);
    expect(registry.stats().versions.find(({ version }) => version === 'broken@1')).toMatchObject({ failures: 1 });
    await registry.close();
  });

  test('a version never changes: another file under its name is rejected', async () => {
    const registry = await open();
    writeOnnx(files.path('changing.onnx'), 1);
    registry.add('film', files.path('changing.onnx'));
    expect(numberOf(await registry.predict('film', { x: [0, 0] }))).toBe(1);
    registry.unload('film');
    writeOnnx(files.path('changing.onnx'), 2);
    const failure = await registry.predict('film', { x: [0, 0] }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'ERR_REGISTRY_LOAD', cause: { code: 'ERR_REGISTRY_CHANGED' } });
    registry.add('film', files.path('changing.onnx'), { aliases: ['default'] });
    expect(numberOf(await registry.predict('film', { x: [0, 0] }))).toBe(2);
    await registry.close();
  });

  test('a source that does not answer delays no other load, and a late plan is released', async () => {
    const clock = new ManualClock();
    const registry = await openWithClock(clock, { loadTimeoutMs: 30 });
    let arrived = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow: PlanSource = {
      at: 'a slow disk',
      async load() {
        await answered;
        arrived++;
        return { plan: await constantPlan(registry.store, 9), unloaded: () => arrived++ };
      },
    };
    for (const name of ['s1', 's2', 's3']) registry.add(name, slow);
    registry.add('quick', constantSource(registry.store, 1));
    const waiting = ['s1', 's2', 's3'].map((name) => registry.predict(name, 'x').catch((error) => error));
    const quick = registry.predict('quick', 'x');
    await until(() => clock.timers === 2); // both versions load at the same time
    clock.advance(30);
    expect(numberOf(await quick)).toBe(1);
    await until(() => clock.timers === 1);
    clock.advance(30);
    for (const failure of await Promise.all(waiting)) {
      expect(failure).toMatchObject({ code: 'ERR_REGISTRY_LOAD' });
      expect(failure.message).toContain('a slow disk');
    }
    await registry.remove('quick');
    answer();
    await until(() => arrived === 6);
    expect(registry.store.stats().objects).toBe(0);
    await registry.close();
  });

  test('a load that waits in a queue forever fails after twice its timeout', async () => {
    const clock = new ManualClock();
    const registry = await openWithClock(clock, { loadTimeoutMs: 30 });
    let isAborted = false;
    let isOver = false;
    registry.add('film', {
      load(options) {
        options!.signal.addEventListener('abort', () => {
          isAborted = true;
        });
        options!.pauseTimeout();
        options!.pauseTimeout();
        return new Promise(() => {}); // another import holds the thread
      },
    });
    const failure = registry.predict('film', 'x').catch((error) => error);
    void failure.then(() => {
      isOver = true;
    });
    await until(() => clock.timers === 1);
    clock.advance(59);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await failure).toMatchObject({
      code: 'ERR_REGISTRY_LOAD',
      details: { received: 'still in a queue after 60 ms' },
      hint: expect.stringContaining('importThreads'),
    });
    expect(isAborted).toBe(true);
    expect(clock.timers).toBe(0);
    await registry.close();
  });

  test('pauses of a load stop its timeout, up to the same time in all', async () => {
    const clock = new ManualClock();
    const registry = await openWithClock(clock, { loadTimeoutMs: 30 });
    const resumes: (() => void)[] = [];
    let pause = () => {};
    registry.add('film', {
      load(options) {
        pause = () => void resumes.push(options!.pauseTimeout());
        pause();
        return new Promise(() => {});
      },
    } as PlanSource);
    const failure = registry.predict('film', 'x').catch((error) => error);
    await until(() => resumes.length === 1);
    clock.advance(20); // 10 ms of pauses are left
    resumes[0]!();
    clock.advance(20); // 10 ms of the timeout are left
    pause();
    clock.advance(10);
    resumes[1]!();
    expect(clock.timers).toBe(1);
    clock.advance(10);
    expect(await failure).toMatchObject({ details: { received: 'no plan within 30 ms' } });
    await registry.close();
  });

  test('promote loads before it moves the alias, and changes nothing after a later change', async () => {
    const registry = await open();
    registry.add('film', constantSource(registry.store, 1));
    registry.add('film', constantSource(registry.store, 2));
    registry.add('film', {
      load: () => {
        throw new Error('no such bucket');
      },
    });
    expect(await registry.promote('film', 2)).toBe(true);
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(2);
    expect(await codeOf(() => registry.promote('film', 3))).toBe('ERR_REGISTRY_LOAD');
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(2);
    const late = registry.promote('film', 1);
    registry.rollback('film');
    registry.setAlias('film', 2);
    expect(await late).toBe(false);
    expect(numberOf(registry.predictSync('film', 'x'))).toBe(2);
    expect(await registry.promote('film:new', 1)).toBe(true);
    await registry.close();
  });
});

describe('the memory budget', () => {
  const OWN = 40_000;

  /** Returns the memory of the first plan, and the additional memory of a further plan. */
  async function costs(): Promise<{ readonly first: number; readonly further: number }> {
    const store = await openStore();
    const runtime = createRuntime({ store });
    const bytes = [1, 2].map(async (answer) => {
      runtime.register(await constantPlan(store, answer, OWN));
      return runtime.parameterBytes();
    });
    const [first = 0, both = 0] = [await bytes[0], await bytes[1]];
    expect(runtime.parameterBytes()).toBe(runtime.stats().parameters.bytes);
    await runtime.close();
    return { first: Math.min(first, both), further: OWN };
  }

  test('the least recently used version is evicted, but no pinned version and no version in use', async () => {
    const { first, further } = await costs();
    const memoryBudgetBytes = first + 2 * further + 1000;
    const registry = await open({ memoryBudgetBytes });
    const unloaded: string[] = [];
    registry.on('unloaded', ({ version, reason }) => unloaded.push(`${version} ${reason}`));
    for (let model = 1; model <= 6; model++) registry.add(`m${model}`, constantSource(registry.store, model, OWN));
    const ask = async (model: number) => {
      expect(numberOf(await registry.predict(`m${model}`, 'x'))).toBe(model);
      expect(registry.stats().bytes).toBeLessThanOrEqual(memoryBudgetBytes);
    };
    for (const model of [1, 2, 3]) await ask(model);
    await nextTurn();
    expect(unloaded).toEqual([]);
    await ask(1);
    await ask(4);
    registry.pin('m1');
    await ask(5);
    await ask(6);
    await ask(2);
    await nextTurn();
    expect(unloaded).toEqual(['m2@1 budget', 'm3@1 budget', 'm4@1 budget', 'm5@1 budget']);
    expect(states(registry)).toMatchObject({ 'm1@1': 'loaded', 'm2@1': 'loaded', 'm6@1': 'loaded' });
    registry.unpin('m1');
    await ask(3);
    expect(states(registry)).toMatchObject({ 'm1@1': 'unloaded' });
    await registry.close();
  });

  test('a version that does not fit is rejected, and no version is evicted for it', async () => {
    const { first, further } = await costs();
    const registry = await open({ memoryBudgetBytes: first + further + 1000 });
    for (let model = 1; model <= 3; model++)
      registry.add(`m${model}`, constantSource(registry.store, model, OWN), { pin: model === 1 });
    registry.add('huge', constantSource(registry.store, 4, 20 * OWN));
    for (const name of ['m1', 'm2']) await registry.predict(name, 'x');
    expect(await codeOf(() => registry.predict('huge', 'x'))).toBe('ERR_REGISTRY_BUDGET');
    expect(states(registry)).toMatchObject({ 'm1@1': 'loaded', 'm2@1': 'loaded', 'huge@1': 'unloaded' });
    registry.pin('m2');
    expect(await codeOf(() => registry.predict('m3', 'x'))).toBe('ERR_REGISTRY_BUDGET');
    const plan = await constantPlan(registry.store, 5, OWN);
    expect(await codeOf(() => registry.add('m5', plan))).toBe('ERR_REGISTRY_BUDGET');
    expect(registry.has('m5')).toBe(false);
    plan.release();
    registry.unpin('m2');
    expect(numberOf(await registry.predict('m3', 'x'))).toBe(3);
    await registry.close();
    expect(registry.store.stats().objects).toBe(0);
  });

  test('shared parameters count once', async () => {
    const { first, further } = await costs();
    const registry = await open();
    for (let model = 1; model <= 4; model++) registry.add(`m${model}`, constantSource(registry.store, model, OWN));
    for (let model = 1; model <= 4; model++) await registry.predict(`m${model}`, 'x');
    const { bytes, versions } = registry.stats();
    expect(bytes).toBeLessThan(first + 3 * further + 100);
    for (const { marginalBytes } of versions) expect(marginalBytes).toBeLessThan(further + 100);
    await registry.close();
  });
});

describe('quarantine', () => {
  /** A source that fails while its flag is set. */
  async function failing(options: ModelRegistryOptions) {
    const clock = new ManualClock();
    const registry = await openWithClock(clock, options);
    const good = constantSource(registry.store, 1);
    const source = {
      fails: true,
      load: async () => (source.fails ? Promise.reject(new Error('no network')) : good.load()),
    };
    registry.add('film', source);
    registry.add('book', constantSource(registry.store, 2));
    return { registry, source, good, clock };
  }

  test('a version that fails repeatedly is disabled, other versions still answer, and a probe enables it again', async () => {
    const { registry, source, good, clock } = await failing({ quarantineAfter: 3, quarantineMs: 60 });
    const told: string[] = [];
    registry.on('quarantined', ({ version, restMs }) => told.push(`${version} rests ${restMs} ms`));
    registry.on('released', ({ version }) => told.push(`${version} is back`));
    for (let time = 0; time < 3; time++)
      expect(await codeOf(() => registry.predict('film', 'x'))).toBe('ERR_REGISTRY_LOAD');
    for (const call of [
      () => registry.predict('film', 'x'),
      () => registry.predictSync('film', 'x'),
      () => registry.predictBatch('film', ['x']),
      () => registry.load('film'),
    ])
      expect(await codeOf(call)).toBe('ERR_REGISTRY_QUARANTINED');
    const failure = await registry.predict('film', 'x').catch((error) => error);
    expect(failure.cause.cause.message).toBe('no network');
    expect(states(registry)).toEqual({ 'film@1': 'resting', 'book@1': 'unloaded' });
    expect(numberOf(await registry.predict('book', 'x'))).toBe(2);

    clock.advance(60);
    const probes = await Promise.all([1, 2, 3].map(() => codeOf(() => registry.predict('film', 'x'))));
    expect(probes.sort()).toEqual(['ERR_REGISTRY_LOAD', 'ERR_REGISTRY_QUARANTINED', 'ERR_REGISTRY_QUARANTINED']);
    source.fails = false;
    expect(await codeOf(() => registry.predict('film', 'x'))).toBe('ERR_REGISTRY_QUARANTINED');
    clock.advance(60);
    expect(numberOf(await registry.predict('film', 'x'))).toBe(1);
    expect(good.loads).toBe(1);
    await nextTurn();
    expect(told).toEqual(['film@1 rests 60 ms', 'film@1 rests 60 ms', 'film@1 is back']);
    await registry.close();
  });

  test('release ends a quarantine; an answer resets the number of failures', async () => {
    const { registry, source } = await failing({ quarantineAfter: 2, quarantineMs: 60_000 });
    for (let time = 0; time < 2; time++) await codeOf(() => registry.predict('film', 'x'));
    expect(states(registry)).toMatchObject({ 'film@1': 'resting' });
    registry.release('film');
    expect(await codeOf(() => registry.predict('film', 'x'))).toBe('ERR_REGISTRY_LOAD');
    source.fails = false;
    expect(numberOf(await registry.predict('film', 'x'))).toBe(1);
    registry.unload('film');
    source.fails = true;
    expect(await codeOf(() => registry.predict('film', 'x'))).toBe('ERR_REGISTRY_LOAD');
    expect(states(registry)).toMatchObject({ 'film@1': 'unloaded' });
    await registry.close();
  });

  test('a failing load counts once, for any number of waiting calls', async () => {
    const { registry } = await failing({ quarantineAfter: 2 });
    await Promise.all(Array.from({ length: 20 }, () => codeOf(() => registry.predict('film', 'x'))));
    expect(registry.stats().versions[0]).toMatchObject({ failures: 1, state: 'unloaded' });
    await registry.close();
  });

  test('a plan that fails during predictions is loaded again after its quarantine', async () => {
    // A custom operator that fails for valid rows, so that the plan is at fault.
    let isBroken = false;
    const reference: typeof referenceKernel =
      (operator, version) =>
      (inputs, ...rest) => {
        if (isBroken) throw new Error('out of scratch');
        return referenceKernel(operator, version)!(inputs, ...rest);
      };
    const store = await openStore({ native: false });
    const clock = new ManualClock();
    const runtime = new Runtime({ store, kernels: { reference }, clock });
    const registry = await open({ runtime, quarantineAfter: 2, quarantineMs: 40 });
    const source = constantSource(store, 7);
    registry.add('film', source);
    expect(numberOf(await registry.predict('film', 'x'))).toBe(7);
    isBroken = true;
    const calls = [() => registry.predictSync('film', 'x'), () => registry.predictBatch('film', ['x'])];
    for (const call of calls) expect(await codeOf(call)).not.toMatch(/^ERR_REGISTRY/);
    expect(await codeOf(() => registry.predictSync('film', 'x'))).toBe('ERR_REGISTRY_QUARANTINED');
    isBroken = false;
    clock.advance(40);
    expect(numberOf(await registry.predict('film', 'x'))).toBe(7);
    expect(source.loads).toBe(2);
    await registry.close();
    await runtime.close();
  });
});
