import { createRegistry, type ModelRegistry, type RegistryEvents } from 'brezel';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../brezel/test/conformance/seed.js';
import { codeOf, constantPlan, nextTurn, numberOf } from './models.js';

let registry: ModelRegistry;
beforeEach(async () => {
  registry = await createRegistry();
});
afterEach(() => registry.close());

/** Adds versions 1 to `count` of a model. Each version answers its number. */
async function addVersions(name: string, count: number): Promise<void> {
  for (let version = 1; version <= count; version++) registry.add(name, await constantPlan(registry.store, version));
}

const ask = (reference: string, key?: string | number) => numberOf(registry.predictSync(reference, 'a text', { key }));

describe('references', () => {
  test('a name alone refers to its default alias, which points to the first version', async () => {
    await addVersions('film', 3);
    expect([ask('film'), ask('film:default'), ask('film@1'), ask('film@2'), ask('film@3')]).toEqual([1, 1, 1, 2, 3]);
    expect(registry.model('film')).toMatchObject({ versions: ['1', '2', '3'], aliases: [{ alias: 'film:default' }] });
    expect(registry.names()).toEqual(['film']);
  });

  test('versions may be any word; the next version is the greatest integer plus one', async () => {
    const plan = await constantPlan(registry.store, 7);
    const given = ['2025-11', 'v1.2', 9, undefined, undefined].map((version) =>
      registry.add('film', plan, { version }),
    );
    expect(given).toEqual(['film@2025-11', 'film@v1.2', 'film@9', 'film@10', 'film@11']);
  });

  test('aliases can be given with a version', async () => {
    await addVersions('film', 1);
    registry.add('film', await constantPlan(registry.store, 2), { aliases: ['production', 'default'] });
    expect([ask('film'), ask('film:production'), ask('film@1')]).toEqual([2, 2, 1]);
  });

  test('unknown references are rejected by name', async () => {
    await addVersions('film', 2);
    const refused = ['book', 'film@3', 'film:staging', '', '@1', 'film@', 'film@1:x', 'a\nb', 'x'.repeat(600)];
    for (const reference of refused) {
      expect(registry.has(reference)).toBe(false);
      const code = /^(book|film[@:]\w+)$/.test(reference) ? 'ERR_REGISTRY_UNKNOWN' : 'ERR_REGISTRY_REFERENCE';
      expect(await codeOf(() => registry.predictSync(reference, 'x'))).toBe(code);
      expect(await codeOf(() => registry.predict(reference, 'x'))).toBe(code);
      expect(await codeOf(() => registry.predictBatch(reference, ['x']))).toBe(code);
    }
    expect(() => registry.predictSync('film@3', 'x')).toThrow(
      expect.objectContaining({ hint: 'the model has versions 1, 2 and aliases default' }),
    );
    expect(await codeOf(() => registry.predictSync(7 as never, 'x'))).toBe('ERR_REGISTRY_REFERENCE');
  });

  test('names, versions and aliases must not contain separators, and a version must be new', async () => {
    const plan = await constantPlan(registry.store, 1);
    expect(await codeOf(() => registry.add('a@b', plan))).toBe('ERR_REGISTRY_REFERENCE');
    expect(await codeOf(() => registry.add('a', plan, { version: 'x:y' }))).toBe('ERR_REGISTRY_REFERENCE');
    expect(await codeOf(() => registry.add('a', plan, { aliases: ['ok', ''] }))).toBe('ERR_REGISTRY_REFERENCE');
    expect(registry.names()).toEqual([]);
    registry.add('a', plan, { version: 1 });
    expect(await codeOf(() => registry.add('a', plan, { version: '1' }))).toBe('ERR_REGISTRY_EXISTS');
    for (const source of [undefined, null, 7, {}, { plan: 'x' }])
      expect(await codeOf(() => registry.add('b', source as never))).toBe('ERR_REGISTRY_SOURCE');
    expect(registry.names()).toEqual(['a']);
  });

  test('errors of rows are the errors of the runtime, and not failures of the version', async () => {
    await addVersions('film', 1);
    for (let time = 0; time < 20; time++) {
      expect(await codeOf(() => registry.predictSync('film', { text: 7 }))).toBe('ERR_RUNTIME_INPUT');
      expect(await codeOf(() => registry.predict('film', { other: 'x' }))).toBe('ERR_RUNTIME_INPUT');
      expect(await codeOf(() => registry.predictBatch('film', ['x', {}]))).toBe('ERR_RUNTIME_INPUT');
      const options = { out: new Float64Array(0) };
      expect(await codeOf(() => registry.predictSync('film', 'x', options))).toBe('ERR_RUNTIME_OUTPUT');
    }
    expect(ask('film')).toBe(1);
    expect(registry.stats().versions).toMatchObject([{ state: 'loaded', failures: 0, inFlight: 0, requests: 81 }]);
  });

  test('an out-array of the caller is filled', async () => {
    await addVersions('film', 2);
    const out = new Float64Array(1);
    expect(registry.predictSync('film@2', 'x', { out })).toBe(out);
    expect(out[0]).toBe(2);
  });

  test('options out of range', async () => {
    for (const options of [
      { memoryBudgetBytes: -1 },
      { memoryBudgetBytes: Number.NaN },
      { quarantineAfter: 0 },
      { quarantineMs: -1 },
      { loadTimeoutMs: Infinity },
    ])
      expect(await codeOf(() => createRegistry(options))).toBe('ERR_REGISTRY_OPTION');
    await addVersions('film', 2);
    for (const percent of [-1, 101, Number.NaN, '5' as never])
      expect(await codeOf(() => registry.canary('film', { to: 2, percent }))).toBe('ERR_REGISTRY_OPTION');
    expect(await codeOf(() => registry.shadow('film', { to: 2, sample: 2 }))).toBe('ERR_REGISTRY_OPTION');
    expect(await codeOf(() => registry.shadow('film', { to: 2, concurrency: 0 }))).toBe('ERR_REGISTRY_OPTION');
  });
});

describe('aliases', () => {
  test('move and roll back', async () => {
    await addVersions('film', 3);
    registry.setAlias('film:production', 1);
    expect(ask('film:production')).toBe(1);
    registry.setAlias('film:production', 2);
    registry.setAlias('film:production', '3');
    registry.setAlias('film:production', 3); // nothing changes, so rollback skips this call
    expect([ask('film:production'), ask('film')]).toEqual([3, 1]);
    registry.rollback('film:production');
    expect(ask('film:production')).toBe(2);
    registry.rollback('film:production');
    expect(ask('film:production')).toBe(1);
    expect(await codeOf(() => registry.rollback('film:production'))).toBe('ERR_REGISTRY_NO_PREVIOUS');
    expect(ask('film:production')).toBe(1);
    registry.removeAlias('film:production');
    expect(await codeOf(() => ask('film:production'))).toBe('ERR_REGISTRY_UNKNOWN');
  });

  test('can point to existing versions only', async () => {
    await addVersions('film', 1);
    expect(await codeOf(() => registry.setAlias('film', 2))).toBe('ERR_REGISTRY_UNKNOWN');
    expect(await codeOf(() => registry.setAlias('book', 1))).toBe('ERR_REGISTRY_UNKNOWN');
    expect(await codeOf(() => registry.setAlias('film@1', 1))).toBe('ERR_REGISTRY_REFERENCE');
    expect(await codeOf(() => registry.rollback('film:production'))).toBe('ERR_REGISTRY_UNKNOWN');
    expect(ask('film')).toBe(1);
  });

  test('rollback does not restore a removed version', async () => {
    await addVersions('film', 3);
    registry.setAlias('film', 2);
    registry.setAlias('film', 3);
    expect(await codeOf(() => registry.remove('film@3'))).toBe('ERR_REGISTRY_ALIASED');
    await registry.remove('film@2');
    registry.rollback('film');
    expect(ask('film')).toBe(1);
  });

  test('each change emits an event after it is done', async () => {
    const told: unknown[] = [];
    const names: (keyof RegistryEvents)[] = ['added', 'alias', 'removed', 'unloaded'];
    for (const name of names) registry.on(name, (event: object) => told.push({ name, ...event }));
    await addVersions('film', 2);
    registry.canary('film', { to: 2, percent: 10 });
    expect(registry.setAlias('film', 2)).toBeUndefined();
    await registry.remove('film@1');
    await nextTurn();
    expect(told).toEqual([
      { name: 'added', version: 'film@1' },
      { name: 'alias', alias: 'film:default', version: 'film@1' },
      { name: 'added', version: 'film@2' },
      { name: 'alias', alias: 'film:default', version: 'film@1', canary: { version: 'film@2', percent: 10 } },
      { name: 'alias', alias: 'film:default', version: 'film@2' },
      { name: 'unloaded', version: 'film@1', reason: 'removed' },
      { name: 'removed', version: 'film@1', drained: true },
    ]);
  });
});

describe('canaries', () => {
  const share = (requests: number, key?: (request: number) => string | number) => {
    let canaries = 0;
    for (let request = 0; request < requests; request++) if (ask('film', key?.(request)) === 2) canaries++;
    return canaries / requests;
  };

  test('without keys the share is exact, also for every second request', async () => {
    await addVersions('film', 2);
    for (const percent of [0, 1, 25, 50, 99, 100]) {
      registry.canary('film', { to: 2, percent });
      expect(share(2000)).toBeCloseTo(percent / 100, 2);
    }
    registry.canary('film', { to: 2, percent: 30 });
    let second = 0;
    for (let request = 0; request < 2000; request++) {
      ask('film');
      if (ask('film') === 2) second++;
    }
    expect(second / 2000).toBeCloseTo(0.3, 2);
  });

  test('a key always gets the same version, and stays with the canary when the percentage grows', async () => {
    await addVersions('film', 2);
    const keys = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 20 });
    const shares = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { maxLength: 6 });
    const property = fc.property(keys, shares, (users, percents) => {
      const chosen = new Set<string | number>();
      for (const percent of percents.toSorted((a, b) => a - b)) {
        registry.canary('film', { to: 2, percent });
        for (const user of users) {
          const side = ask('film', user);
          expect(ask('film', user)).toBe(side);
          expect(registry.resolve('film', { key: user })).toBe(`film@${side}`);
          if (chosen.has(user)) expect(side).toBe(2);
          if (side === 2) chosen.add(user);
          if (percent === 0) expect(side).toBe(1);
          if (percent === 100) expect(side).toBe(2);
        }
      }
    });
    fc.assert(property, { seed, numRuns: 50 });
  });

  test('the share of keys equals the share of requests; two aliases select different keys', async () => {
    await addVersions('film', 2);
    registry.setAlias('film:production', 1);
    registry.canary('film', { to: 2, percent: 20 });
    registry.canary('film:production', { to: 2, percent: 20 });
    expect(share(5000, (request) => `user ${request}`)).toBeCloseTo(0.2, 1);
    expect(share(5000, (request) => request)).toBeCloseTo(0.2, 1);
    let both = 0;
    for (let user = 0; user < 5000; user++) if (ask('film', user) === 2 && ask('film:production', user) === 2) both++;
    // Independent choices give 0.04; equal choices would give 0.2.
    expect(both / 5000).toBeLessThan(0.07);
  });

  test('rollback and setAlias end a canary, also after its share was increased several times', async () => {
    await addVersions('film', 3);
    registry.setAlias('film', 3);
    for (const percent of [5, 20, 100]) registry.canary('film', { to: 2, percent });
    expect(ask('film')).toBe(2);
    registry.rollback('film');
    expect(ask('film')).toBe(3);
    expect(registry.model('film')!.aliases[0]).toEqual({
      alias: 'film:default',
      version: 'film@3',
      requests: 2,
      swaps: 1,
    });
    registry.rollback('film');
    expect(ask('film')).toBe(1);
    registry.canary('film', { to: 2, percent: 100 });
    registry.setAlias('film', 3);
    expect(ask('film')).toBe(3);
    registry.rollback('film'); // back to the canary that the last change ended
    expect(ask('film')).toBe(2);
  });

  test('one version answers a whole batch', async () => {
    await addVersions('film', 2);
    registry.canary('film', { to: 2, percent: 50 });
    const sides = new Set<number>();
    for (let batch = 0; batch < 20; batch++) {
      const answers = (await registry.predictBatch('film', ['a', 'b', 'c'])).map(numberOf);
      expect(new Set(answers).size).toBe(1);
      sides.add(answers[0]!);
    }
    expect(sides.size).toBe(2);
  });

  test('its version cannot be removed', async () => {
    await addVersions('film', 2);
    registry.canary('film', { to: 2, percent: 50 });
    expect(await codeOf(() => registry.remove('film@2'))).toBe('ERR_REGISTRY_ALIASED');
    registry.rollback('film');
    expect(await registry.remove('film@2')).toBe(true);
  });
});
