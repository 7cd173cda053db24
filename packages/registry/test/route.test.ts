import { createRegistry } from 'brezel';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { addConstant, codeOf, constantSource, nextTurn, numberOf } from './models.js';

const registry = await createRegistry();
afterAll(() => registry.close());

beforeEach(async () => {
  if (registry.has('film')) await registry.remove('film');
  await addConstant(registry, 'film', 1, { version: 1 });
  await addConstant(registry, 'film', 2, { version: 2 });
});

describe('a route', () => {
  test('names its version, describes it and answers with it', async () => {
    const route = registry.route('film');
    expect(route.version).toBe('film@1');
    const { inputs, outputs, jsonSchema } = await route.load();
    expect([inputs[0]!.name, outputs[0]!.name]).toEqual(['text', 'answer']);
    expect(jsonSchema().row).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'object' }] });
    expect(numberOf(await route.predict('x'))).toBe(1);
    expect((await route.predictBatch(['x', 'y'])).map(numberOf)).toEqual([1, 1]);
  });

  test('stays on its version when the alias moves', async () => {
    const route = registry.route('film');
    registry.setAlias('film', 2);
    expect(numberOf(await route.predict('x'))).toBe(1);
    expect(registry.route('film').version).toBe('film@2');
  });

  test('uses the canary of its key, and counts as one request', async () => {
    registry.canary('film', { to: 2, percent: 100 });
    const route = registry.route('film', { key: 'user 7' });
    expect(route.version).toBe('film@2');
    expect(numberOf(await route.predict('x'))).toBe(2);
    expect(registry.stats().aliases[0]!.canary!.requests).toBe(1);
  });

  test('answers columns, and counts one request', async () => {
    const route = registry.route('film');
    const { answer } = await route.predictColumns({ text: ['x', 'y', 'z'] });
    expect(Array.from(answer as ArrayLike<number>)).toEqual([1, 1, 1]);
    expect(registry.stats().versions[0]!.requests).toBe(1);
    expect(await codeOf(() => route.predictColumns({ text: [7] } as never))).toBe('ERR_RUNTIME_INPUT');
    expect(await codeOf(() => route.predictColumns({ text: [] }, { foo: 1 } as never))).toBe('ERR_REGISTRY_OPTION');
  });

  test('is compared by the shadow of its alias', async () => {
    expect(registry.route('film').hasShadow).toBe(false);
    registry.shadow('film', { to: 2 });
    expect(registry.route('film').hasShadow).toBe(true);
    await registry.route('film').predictBatch(['x', 'y']);
    await registry.route('film').predict('x');
    while (registry.stats().aliases[0]!.shadow!.compared < 3) await nextTurn();
    expect(registry.stats().aliases[0]!.shadow!.different).toBe(3);
  });

  test('describes its stages and explains an answer, without counting a request', async () => {
    const route = registry.route('film');
    const [stage] = await route.stages();
    expect(stage).toMatchObject({ plans: 2, operators: expect.any(Array), parameterBytes: expect.any(Number) });
    expect(await codeOf(() => route.contributions(7 as never))).toBe('ERR_RUNTIME_INPUT');
    expect(registry.stats().versions.map(({ requests, failures }) => requests + failures)).toEqual([0, 0]);
  });

  test('has no description until its version is loaded', async () => {
    registry.add('late', constantSource(registry.store, 3));
    const route = registry.route('late');
    expect(route.description).toBeUndefined();
    await route.load();
    expect(route.description?.version).toBe('late@1');
    await registry.remove('late');
    expect(route.description).toBeUndefined();
    expect(await codeOf(() => route.predict('x'))).toBe('ERR_REGISTRY_REMOVED');
  });

  test('rejects an unknown reference and unknown options', async () => {
    expect(await codeOf(() => registry.route('other'))).toBe('ERR_REGISTRY_UNKNOWN');
    expect(await codeOf(() => registry.route('film', { kye: 1 } as never))).toBe('ERR_REGISTRY_OPTION');
    expect(await codeOf(() => registry.route('film').predict('x', { deadline: 1 } as never))).toBe(
      'ERR_REGISTRY_OPTION',
    );
    expect(await codeOf(() => registry.route('film').predictBatch(['x'], { key: 1 } as never))).toBe(
      'ERR_REGISTRY_OPTION',
    );
  });
});
