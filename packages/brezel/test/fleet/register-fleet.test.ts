import { existsSync, readFileSync } from 'node:fs';
import {
  type CompiledPlan,
  createFlour,
  createRuntime,
  defineOperator,
  type Flow,
  type ObjectStore,
  openFleet,
  packFleet,
  type Row,
  Runtime,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { stores, temporaryFolder } from './folder.js';
import { join, pack, partsOf, unpack } from './forge.js';

const folder = temporaryFolder();
const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const counted = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad'], ['film']] });
const names = Array.from({ length: 8 }, (_, at) => `m${at}`);
const linear = (at: number): CompiledPlan =>
  counted.linear({ weights: [at + 1, -at, 0.1 * at] }).plan({ name: names[at]! });
const members = names.map((_, at) => linear(at));
const path = folder.path('family.brezel');
await packFleet(members, path, { store: flour.store });
const rows: Row[] = ['good', 'a bad film', 'nothing known'];

afterAll(() => {
  flour.dispose();
  folder.remove();
});

/** The answers of each plan if all plans are registered at once. */
async function expectedAnswers(store: ObjectStore) {
  await using runtime = createRuntime({ store });
  using fleet = await openFleet(path, { store });
  return new Map(
    fleet.names.map((name) => {
      const plan = runtime.register(fleet.plan(name));
      return [name, rows.map((row) => runtime.predictSync(plan, row))];
    }),
  );
}

const isMapped = (file: string) => readFileSync('/proc/self/maps', 'utf8').includes(file);
const hasFileMaps = existsSync('/proc/self/maps');

describe.each([...(await stores())])('a fleet whose parameters are %s', (kind, store) => {
  test('registers each plan at its first use, with the answers of register', async () => {
    const expected = await expectedAnswers(store);
    await using runtime = createRuntime({ store });
    const fleet = await openFleet(path, { store });
    const plans = runtime.registerFleet(fleet);
    fleet.close();
    expect(plans.names).toEqual(names);
    expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 8, stages: { distinct: 0 } });
    expect(runtime.parameterBytes()).toBe(0);
    const [first, second] = [plans.plan('m3'), plans.plan('m5')];
    expect(plans.plan('m3')).toBe(first);
    expect([first.name, second.name]).toEqual(['m3', 'm5']);
    expect(runtime.has(first)).toBe(true);
    expect(plans.unused).toBe(6);
    const { plans: listed, unusedPlans, stages } = runtime.stats();
    expect([listed.map(({ name }) => name), unusedPlans]).toEqual([['m3', 'm5'], 6]);
    expect(stages.used - stages.distinct).toBe(1); // both plans share the featurizer
    for (const name of names)
      expect(rows.map((row) => runtime.predictSync(plans.plan(name), row))).toEqual(expected.get(name));
    expect(plans.unused).toBe(0);
    expect(await runtime.predictBatch(first, rows)).toEqual(expected.get('m3'));
    expect(await runtime.predictManyBatch([first, second], rows)).toEqual([expected.get('m3'), expected.get('m5')]);
    expect((await runtime.warm(first, { rows })).parameterBytes > 0).toBe(kind === 'mapped');
  });

  test.runIf(hasFileMaps)('maps the file, if at all, until every plan is used or removed', async () => {
    for (const end of ['use', 'unregister', 'fleet', 'close'] as const) {
      await using runtime = createRuntime({ store });
      const fleet = await openFleet(path, { store });
      const plans = runtime.registerFleet(fleet);
      fleet.close();
      expect(isMapped(path)).toBe(kind === 'mapped');
      if (end === 'use') for (const name of names) runtime.unregister(plans.plan(name));
      if (end === 'unregister') for (const name of names) plans.unregister(name);
      if (end === 'fleet') runtime.unregister(plans);
      if (end === 'close') await runtime.close();
      expect([end, isMapped(path)]).toEqual([end, false]);
    }
  });

  test('a fleet that is still open stays open for the caller', async () => {
    await using runtime = createRuntime({ store });
    using fleet = await openFleet(path, { store });
    const plans = runtime.registerFleet(fleet);
    const again = runtime.registerFleet(fleet);
    expect(again.plan('m1').name).toBe('m1~2');
    runtime.unregister(plans);
    expect(fleet.plan('m1').name).toBe('m1');
    expect(again.plan('m2').name).toBe('m2~2');
    expect(runtime.register(fleet.plan('m2')).name).toBe('m2');
  });

  test('names are taken at once, and are free again after the removal', async () => {
    await using runtime = createRuntime({ store });
    using fleet = await openFleet(path, { store });
    const plans = runtime.registerFleet(fleet);
    const taken = expect.objectContaining({ code: 'ERR_RUNTIME_NAME' });
    expect(() => runtime.register(fleet.plan('m0'), { name: 'm4' })).toThrow(taken);
    plans.plan('m4');
    expect(() => runtime.register(fleet.plan('m0'), { name: 'm4' })).toThrow(taken);
    plans.unregister('m4');
    plans.unregister('m5');
    for (const name of ['m4', 'm5']) expect(runtime.register(fleet.plan('m0'), { name }).name).toBe(name);
    expect(() => runtime.register(fleet.plan('m0'), { name: 'm6' })).toThrow(taken);
    runtime.unregister(plans);
    expect(runtime.register(fleet.plan('m0'), { name: 'm6' }).name).toBe('m6');
    expect(runtime.stats()).toMatchObject({ plans: { length: 3 }, unusedPlans: 0 });
  });

  test('a plan that was removed, or never existed, is an error', async () => {
    await using runtime = createRuntime({ store });
    using fleet = await openFleet(path, { store });
    const plans = runtime.registerFleet(fleet);
    const unknown = (hint: string) =>
      expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN', hint: expect.stringContaining(hint) });
    const wrong = ['m9', '', '__proto__', 'constructor', '\ud800', 3, undefined, null, {}, Symbol('m1')] as string[];
    for (const name of wrong) {
      expect(() => plans.plan(name)).toThrow(unknown('the fleet has the plans m0, m1, m2, m3, m4, ...'));
      expect(() => plans.unregister(name)).toThrow(unknown('the fleet has the plans'));
      expect(plans.has(name)).toBe(false);
    }
    plans.unregister('m1');
    runtime.unregister(plans.plan('m2'));
    expect(() => plans.plan('m1')).toThrow(unknown('removed'));
    for (const name of ['m1', 'm2']) {
      expect(() => plans.plan(name)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }));
      expect(() => plans.unregister(name)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }));
      expect(plans.has(name)).toBe(false);
    }
    expect([plans.has('m0'), plans.unused]).toEqual([true, 6]);
    runtime.unregister(plans);
    expect(() => plans.plan('m0')).toThrow(unknown('removed'));
    expect(() => runtime.unregister(plans)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }));
  });

  test('a runtime that closes removes what was not used', async () => {
    const runtime = createRuntime({ store });
    using fleet = await openFleet(path, { store });
    const plans = runtime.registerFleet(fleet);
    const used = plans.plan('m0');
    const running = runtime.predictBatch(used, rows);
    const closing = runtime.close({ drainMs: 1000 });
    const closed = expect.objectContaining({ code: 'ERR_RUNTIME_CLOSED' });
    expect(() => plans.plan('m1')).toThrow(closed);
    expect(() => plans.unregister('m1')).toThrow(closed);
    expect(await running).toHaveLength(3);
    await closing;
    expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 0 });
    expect(() => runtime.registerFleet(fleet)).toThrow(closed);
  });

  test('a first use that fails leaves nothing behind, and the next one tries again', async () => {
    await using runtime = createRuntime({ store });
    using fleet = await openFleet(path, { store, verify: false });
    const plans = runtime.registerFleet(fleet);
    const before = store.stats();
    const adopt = store.adopt.bind(store);
    let calls = 0;
    store.adopt = (...given) => {
      calls++;
      if (calls === 1) throw new Error('out of memory');
      return adopt(...given);
    };
    try {
      expect(() => plans.plan('m7')).toThrow('out of memory');
    } finally {
      store.adopt = adopt;
    }
    expect(calls).toBe(1);
    expect(store.stats()).toEqual(before);
    expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 8, stages: { distinct: 0 } });
    expect(plans.has('m7')).toBe(true);
    expect(() => runtime.register(fleet.plan('m0'), { name: 'm7' })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_NAME' }),
    );
    expect(plans.plan('m7').name).toBe('m7');
  });

  test('options apply to every plan, as they were when the fleet was registered', async () => {
    await using runtime = createRuntime({ store });
    using fleet = await openFleet(path, { store });
    const options = { cache: { maxBytes: 1 << 20 }, engine: 'auto' as const };
    const plans = runtime.registerFleet(fleet, options);
    options.cache.maxBytes = -1;
    const plan = plans.plan('m1');
    runtime.predictSync(plan, 'good');
    runtime.predictSync(plan, 'good');
    expect(runtime.stats().plans[0]).toMatchObject({ name: 'm1', cache: { hits: 1, misses: 1 } });
  });
});

test('errors of options and arguments are thrown by registerFleet, and nothing is registered', async () => {
  using fleet = await openFleet(path);
  await using runtime = createRuntime({ store: fleet.store });
  const registerFleet = (...given: unknown[]) =>
    (runtime.registerFleet as (...given: unknown[]) => unknown).apply(runtime, given);
  const cases: [unknown, unknown, string][] = [
    [fleet, { name: 'm' }, 'name'],
    [fleet, { cache: { maxBytes: -1 } }, 'cache.maxBytes'],
    [fleet, { priority: 'urgent' }, 'priority high, normal, low'],
    [fleet, null, 'options'],
    [fleet, { reserve: { executors: 0 } }, 'reserve.executors'],
    [undefined, {}, 'expected an open fleet'],
    [path, {}, 'expected an open fleet'],
    [members[0], {}, 'expected an open fleet'],
  ];
  for (const [source, options, message] of cases)
    expect(() => registerFleet(source, options)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message: expect.stringContaining(message) }),
    );
  using other = await openFleet(path);
  expect(() => registerFleet(other)).toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', hint: expect.stringContaining('store: fleet.store') }),
  );
  other.close();
  using closed = await openFleet(path, { store: fleet.store });
  closed.close();
  expect(() => registerFleet(closed)).toThrow(expect.objectContaining({ code: 'ERR_STORE_CLOSED' }));
  expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 0 });
  expect(runtime.register(fleet.plan('m0')).name).toBe('m0'); // its name is free
});

test('plans with reserved executors are registered at once, all or none', async () => {
  using fleet = await openFleet(path);
  await using runtime = createRuntime({ store: fleet.store, executors: 4 });
  if (runtime.isa === undefined) return console.warn('skipped: executors need the addon');
  expect(() => runtime.registerFleet(fleet, { reserve: { executors: 1 } })).toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_RESERVATION' }),
  );
  expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 0, executors: { reserved: [] } });
  const two = folder.path('two.brezel');
  await packFleet(members.slice(0, 2), two, { store: flour.store });
  using few = await openFleet(two, { store: fleet.store });
  const plans = runtime.registerFleet(few, { reserve: { executors: 1 } });
  expect(plans.unused).toBe(0);
  expect(runtime.stats()).toMatchObject({ plans: { length: 2 }, executors: { reserved: { length: 2 } } });
});

test('a plan with an operator that this thread has not defined is found when the fleet is registered', async () => {
  const shout = defineOperator({
    name: 'test-fleet/register-shout',
    inputs: ['text'],
    output: 'float32',
    run: (one) => one.length,
  });
  const custom = (text as Flow<'text'>).custom(shout).plan({ name: 'custom' });
  const file = folder.path('mixed.brezel');
  await packFleet([members[0]!, custom, members[1]!], file, { store: flour.store });
  custom.release();
  using fleet = await openFleet(file, { verify: false });
  await using runtime = createRuntime({ store: fleet.store });
  const plans = runtime.registerFleet(fleet);
  expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 3 });
  expect(runtime.predictSync(plans.plan('custom'), 'four')).toEqual({ output: 4 });
  runtime.unregister(plans);
  const forged = folder.path('forged.brezel');
  const parts = partsOf(file);
  const manifest = unpack(parts.manifest);
  for (const { steps } of manifest.programs)
    for (const step of steps) if (step.operator === shout.name) step.operator = 'test-fleet/unheard-of';
  join(forged, { ...parts, manifest: pack(manifest) });
  using missing = await openFleet(forged, { verify: false, store: fleet.store });
  expect(() => runtime.registerFleet(missing)).toThrow(
    expect.objectContaining({
      code: 'ERR_FLEET_OPERATOR',
      message: expect.stringContaining('test-fleet/unheard-of'),
    }),
  );
  expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 0 });
  expect(runtime.registerFleet(fleet).plan('m0').name).toBe('m0'); // the name is free
});

test('a plan with an operator deadline is registered at once', async () => {
  const slow = defineOperator({
    name: 'test-fleet/register-slow',
    inputs: ['text'],
    output: 'float32',
    deadlineMs: 1000,
    run: (one) => one.length,
  });
  const isolated = (text as Flow<'text'>).custom(slow).plan({ name: 'isolated' });
  const file = folder.path('isolated.brezel');
  await packFleet([members[0]!, isolated], file, { store: flour.store });
  isolated.release();
  using fleet = await openFleet(file);
  await using runtime = createRuntime({ store: fleet.store });
  expect(() => runtime.registerFleet(fleet)).toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message: expect.stringContaining('operatorModules') }),
  );
  expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 0 });
});

test('a plan of another version is found when the fleet is registered', async () => {
  const file = folder.path('version.brezel');
  const parts = partsOf(path);
  const manifest = unpack(parts.manifest);
  manifest.plans[6]!.version = 99;
  join(file, { ...parts, manifest: pack(manifest) });
  using fleet = await openFleet(file, { verify: false });
  await using runtime = createRuntime({ store: fleet.store });
  expect(() => runtime.registerFleet(fleet)).toThrow(expect.objectContaining({ code: 'ERR_STORE_VERSION' }));
  expect(runtime.stats()).toMatchObject({ plans: [], unusedPlans: 0 });
  expect(runtime.register(fleet.plan('m0')).name).toBe('m0');
});

test('a fleet without plans is released at once', async () => {
  const file = folder.path('empty.brezel');
  await packFleet([], file, { store: flour.store });
  const fleet = await openFleet(file);
  await using runtime = createRuntime({ store: fleet.store });
  const plans = runtime.registerFleet(fleet);
  fleet.close();
  expect([plans.names, plans.unused]).toEqual([[], 0]);
  if (hasFileMaps) expect(isMapped(file)).toBe(false);
});

test('console.log prints names and the number of unused plans', async () => {
  using fleet = await openFleet(path);
  await using runtime = createRuntime({ store: fleet.store });
  expect(runtime).toBeInstanceOf(Runtime);
  const { inspect } = await import('node:util');
  expect(inspect(runtime.registerFleet(fleet))).toMatch(/FleetPlans.*m0.*unused: 8/s);
});
