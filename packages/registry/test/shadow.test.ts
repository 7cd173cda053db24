import { createRegistry, type ModelRegistry, type ShadowResult } from 'brezel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codeOf, constantPlan, constantSource, nextTurn, numberOf } from './models.js';

let registry: ModelRegistry;
let results: ShadowResult[];
beforeEach(async () => {
  registry = await createRegistry();
  results = [];
  registry.on('shadow', (result) => results.push(result));
  for (const version of [1, 2]) registry.add('film', await constantPlan(registry.store, version));
  registry.add('film', await constantPlan(registry.store, 1), { version: 'same' });
});
afterEach(() => registry.close());

const shadowStats = () => registry.model('film')!.aliases[0]!.shadow!;
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
};

describe('a shadow', () => {
  test('receives the requests of the alias, and its answers are compared', async () => {
    registry.shadow('film', { to: 2 });
    expect(numberOf(registry.predictSync('film', 'one'))).toBe(1);
    expect(results).toEqual([]); // no shadow runs before the caller has its answer
    await settle();
    expect(numberOf(await registry.predict('film', { text: 'two' }))).toBe(1);
    await settle();
    expect((await registry.predictBatch('film', ['three', 'four'])).map(numberOf)).toEqual([1, 1]);
    await settle();
    expect(results.map(({ row }) => row)).toEqual(['one', { text: 'two' }, 'three', 'four']);
    for (const result of results)
      expect(result).toMatchObject({
        alias: 'film:default',
        primary: 'film@1',
        shadow: 'film@2',
        answer: { answer: [1] },
        shadowAnswer: { answer: [2] },
        isEqual: false,
      });
    expect(shadowStats()).toEqual({ version: 'film@2', sample: 1, compared: 4, different: 4, failed: 0, dropped: 0 });
    registry.shadow('film', { to: 'same' });
    registry.predictSync('film', 'five');
    await settle();
    expect(results.at(-1)).toMatchObject({ isEqual: true });
    expect(shadowStats()).toMatchObject({ compared: 1, different: 0 });
    registry.shadow('film', undefined);
    registry.predictSync('film', 'six');
    await settle();
    expect(results).toHaveLength(5);
  });

  test('compares numbers in an array of the caller', async () => {
    registry.shadow('film', { to: 2 });
    const out = new Float64Array(3);
    registry.predictSync('film', 'one', { out });
    out.fill(99); // the caller may write to the out-array again
    await settle();
    expect(results).toMatchObject([{ answer: Float64Array.of(1), shadowAnswer: Float64Array.of(2), isEqual: false }]);
  });

  test('receives rows as they were at the call', async () => {
    registry.shadow('film', { to: 2 });
    const row = { text: 'before' };
    registry.predictSync('film', row);
    row.text = 'after';
    await settle();
    expect(results[0]!.row).toEqual({ text: 'before' });
  });

  test('receives a share of the rows, and a few rows of a batch', async () => {
    registry.shadow('film', { to: 2, sample: 0.25 });
    for (let request = 0; request < 100; request++) {
      registry.predictSync('film', 'x');
      if (request % 3 === 0) await settle();
    }
    await settle();
    const { compared, dropped } = shadowStats();
    expect(Math.abs(compared + dropped - 25)).toBeLessThanOrEqual(1);
    registry.shadow('film', { to: 2 });
    await registry.predictBatch('film', new Array(1000).fill('x'));
    await settle();
    expect(shadowStats().compared).toBe(256);
  });

  test('rows that arrive while the shadow is busy are dropped', async () => {
    registry.shadow('film', { to: 2, concurrency: 3 });
    for (let request = 0; request < 10; request++) registry.predictSync('film', 'x');
    await settle();
    expect(shadowStats()).toMatchObject({ compared: 3, dropped: 7 });
    registry.predictSync('film', 'x');
    await settle();
    expect(shadowStats()).toMatchObject({ compared: 4, dropped: 7 });
  });

  test('has errors that reach no caller', async () => {
    const failing = { load: () => Promise.reject(new Error('no disk')) };
    registry.add('film', failing, { version: 'broken' });
    registry.shadow('film', { to: 'broken' });
    for (let request = 0; request < 12; request++) {
      expect(numberOf(registry.predictSync('film', 'x'))).toBe(1);
      await settle();
    }
    expect(shadowStats()).toMatchObject({ compared: 0, failed: 12 });
    expect(results.map(({ error }) => (error as { code: string }).code)).toEqual([
      ...new Array(5).fill('ERR_REGISTRY_LOAD'),
      ...new Array(7).fill('ERR_REGISTRY_QUARANTINED'),
    ]);
  });

  test('is loaded at the first request, and cannot be removed while it is a shadow', async () => {
    const source = constantSource(registry.store, 9);
    registry.add('film', source, { version: 'lazy' });
    registry.shadow('film', { to: 'lazy' });
    registry.predictSync('film', 'x');
    await settle();
    expect(results).toMatchObject([{ shadowAnswer: { answer: [9] } }]);
    expect(await codeOf(() => registry.remove('film@lazy'))).toBe('ERR_REGISTRY_ALIASED');
    registry.shadow('film', undefined);
    expect(await registry.remove('film@lazy')).toBe(true);
  });

  test('may run when the registry closes', async () => {
    registry.shadow('film', { to: 2 });
    registry.predictSync('film', 'x');
    await registry.close();
    await settle();
    expect(results).toMatchObject([{ error: { code: 'ERR_REGISTRY_REMOVED' } }]);
  });

  test('a listener that throws causes an uncaught exception, and affects no request', async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    try {
      registry.on('alias', () => {
        throw new Error('listener');
      });
      registry.setAlias('film', 2);
      expect(numberOf(registry.predictSync('film', 'x'))).toBe(2);
      await settle();
      expect(uncaught).toMatchObject([{ message: 'listener' }]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
});
