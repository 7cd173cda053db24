import { createRegistry, type ModelRegistryOptions } from 'brezel';
import { describe, expect, test } from 'vitest';
import { addConstant, codeOf, constantPlan, constantSource, nextTurn } from './models.js';

const open = (options: ModelRegistryOptions = {}) => createRegistry(options);
const PLENTY = 10_000;

describe('versions', () => {
  test('bytes, loads and unloads, loaded or not', async () => {
    await using registry = await open();
    registry.add('film', constantSource(registry.store, 7, PLENTY));
    await addConstant(registry, 'small', 1);
    const of = (version: string) => registry.stats().versions.find((one) => one.version === version)!;
    expect(registry.stats()).toMatchObject({ models: 2, budgetBytes: Infinity });
    expect(of('film@1')).toMatchObject({ loaded: false, parameterBytes: 0, loads: 0, unloads: 0 });
    for (let round = 1; round <= 2; round++) {
      await registry.predict('film', 'x');
      const { parameterBytes, marginalBytes } = of('film@1');
      expect(of('film@1')).toMatchObject({ state: 'loaded', loads: round, unloads: round - 1 });
      expect(parameterBytes).toBeGreaterThan(PLENTY);
      expect(marginalBytes).toBeLessThanOrEqual(parameterBytes);
      registry.unload('film');
      expect(of('film@1')).toMatchObject({ state: 'unloaded', parameterBytes, marginalBytes: 0, unloads: round });
    }
    expect(registry.stats().bytes).toBe(of('small@1').parameterBytes);
  });

  test('evictions are counted with their sizes', async () => {
    await using registry = await open({ memoryBudgetBytes: 25 * PLENTY });
    for (let n = 1; n <= 4; n++) registry.add(`film${n}`, constantSource(registry.store, n, n * PLENTY * 0.4));
    for (let round = 0; round < 3; round++) for (let n = 1; n <= 4; n++) await registry.predict(`film${n}`, 'x');
    const { versions, bytes, budgetBytes } = registry.stats();
    expect(bytes).toBeLessThanOrEqual(budgetBytes);
    const sum = (of: 'loads' | 'unloads') => versions.reduce((total, one) => total + one[of], 0);
    expect(sum('loads') - sum('unloads')).toBe(versions.filter(({ loaded }) => loaded).length);
    expect(sum('unloads')).toBeGreaterThan(0);
    for (const one of versions) expect(one.parameterBytes).toBeGreaterThan(0);
  });

  test('quarantine: consecutive failures, the current state, and the number of quarantines', async () => {
    await using registry = await open({ quarantineAfter: 2, quarantineMs: 0 });
    let isBroken = true;
    registry.add('film', {
      load: async () => {
        if (isBroken) throw new Error('broken');
        return { plan: await constantPlan(registry.store, 7) };
      },
    });
    const quarantine = () => registry.stats().versions[0]!.quarantine;
    expect(quarantine()).toEqual({ resting: false, failures: 0, rests: 0 });
    expect(await codeOf(() => registry.predict('film', 'x'))).toBe('ERR_REGISTRY_LOAD');
    expect(quarantine()).toEqual({ resting: false, failures: 1, rests: 0 });
    for (let time = 0; time < 2; time++) await codeOf(() => registry.predict('film', 'x'));
    // After a failed probe, the plan is disabled again.
    expect(quarantine()).toEqual({ resting: true, failures: 3, rests: 2 });
    isBroken = false;
    await registry.predict('film', 'x');
    expect(quarantine()).toEqual({ resting: false, failures: 0, rests: 2 });
  });
});

describe('aliases', () => {
  test('requests, swaps, and requests of a canary and a shadow', async () => {
    await using registry = await open();
    for (const answer of [1, 2, 3]) await addConstant(registry, 'film', answer);
    const alias = () => registry.model('film')!.aliases[0]!;
    expect(alias()).toEqual({ alias: 'film:default', version: 'film@1', requests: 0, swaps: 0 });
    registry.canary('film', { to: 2, percent: 25 });
    for (let time = 0; time < 100; time++) registry.predictSync('film', 'x');
    expect(alias()).toMatchObject({ requests: 100, swaps: 0, canary: { version: 'film@2', percent: 25 } });
    const { requests } = alias().canary!;
    expect(Math.abs(requests - 25)).toBeLessThanOrEqual(1);
    registry.canary('film', { to: 2, percent: 100 }); // a larger percentage changes the same canary
    registry.predictSync('film', 'x');
    expect(alias().canary).toEqual({ version: 'film@2', percent: 100, requests: requests + 1 });
    registry.setAlias('film', 2);
    expect(alias()).toEqual({ alias: 'film:default', version: 'film@2', requests: 101, swaps: 1 });
    registry.setAlias('film', 2); // the alias already points to version 2
    registry.shadow('film', { to: 3 });
    registry.predictSync('film', 'x');
    await nextTurn();
    await nextTurn();
    expect(alias()).toMatchObject({
      requests: 102,
      swaps: 1,
      shadow: { version: 'film@3', compared: 1, different: 1 },
    });
    registry.rollback('film'); // to the canary
    registry.rollback('film');
    expect(alias()).toMatchObject({ version: 'film@1', swaps: 2 });
  });
});
