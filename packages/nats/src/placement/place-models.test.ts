import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupsOf, type PlaceableModel } from './groups.js';
import { type Placement, placeModels } from './place-models.js';

const MB = 2 ** 20;
const servers = (count: number, memoryBytes = 1000 * MB) =>
  Array.from({ length: count }, (_, index) => ({ name: `r${index}`, memoryBytes }));

/** Models of families: the members of a family share 10 MB, and each has 1 MB more. */
const families = (count: number, members: number, replicas = 1): PlaceableModel[] =>
  Array.from({ length: count * members }, (_, index) => ({
    name: `m${index}`,
    replicas,
    parameters: [
      { id: `shared ${index % count}`, bytes: 10 * MB },
      { id: `own ${index}`, bytes: MB },
    ],
    otherBytes: 1000,
  }));

const serversOf = ({ models }: Placement, name: string) => models.get(name)!.servers;

/** The number of models that lose a server, of those whose servers all still exist. */
function moved(before: Placement, after: Placement, gone: string): number {
  return [...before.models].filter(([name, { servers: old }]) =>
    old.some((server) => server !== gone && !serversOf(after, name).includes(server)),
  ).length;
}

describe('groupsOf', () => {
  test('the key is the largest parameter that models share, not the largest parameter', () => {
    const shared = { id: 'shared', bytes: 10 };
    const models = ['a', 'b', 'c'].map((name) => ({
      name,
      replicas: 1,
      parameters: [{ id: `own ${name}`, bytes: 100 }, ...(name === 'c' ? [] : [shared, { id: 'small', bytes: 2 }])],
      otherBytes: 0,
    }));
    const groups = groupsOf(models);
    expect(groups.map(({ models: members }) => members.map(({ name }) => name).sort())).toEqual([['a', 'b'], ['c']]);
    expect(groups[0]).toMatchObject({ key: 'parameter shared', parameter: shared, sharedBy: 2 });
    expect(groups[1]!.parameter).toBeUndefined();
  });
});

describe('placeModels', () => {
  test('models that share a parameter are on few servers', () => {
    const placement = placeModels(families(20, 10), servers(5));
    const spread = Array.from({ length: 20 }, (_, family) => {
      const members = Array.from({ length: 10 }, (_, member) => `m${family + 20 * member}`);
      return new Set(members.flatMap((name) => serversOf(placement, name))).size;
    });
    expect(Math.max(...spread)).toBeLessThanOrEqual(2);
    for (const server of placement.servers) expect(server.models).toBeLessThanOrEqual(1.15 * 40);
  });

  test('if a server ends, only its models move, and they return with the server', () => {
    const models = families(30, 10);
    const before = placeModels(models, servers(6));
    const after = placeModels(models, servers(5));
    const lost = [...before.models].filter(([, { servers: all }]) => all.includes('r5')).length;
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(1.15 * 50 + 1);
    expect(moved(before, after, 'r5')).toBeLessThanOrEqual(0.1 * models.length);
    expect(placeModels(models, servers(6)).models).toEqual(before.models);
  });

  test('replicas of a model are on different servers, and at most one on each', () => {
    const placement = placeModels(families(4, 5, 3), servers(4));
    for (const { servers: all } of placement.models.values()) expect(new Set(all).size).toBe(3);
    const few = placeModels(families(1, 1, 9), servers(2));
    expect(serversOf(few, 'm0').toSorted()).toEqual(['r0', 'r1']);
  });

  test('a server with more memory gets more models', () => {
    const sizes = [
      { name: 'small', memoryBytes: 100 * MB },
      { name: 'large', memoryBytes: 900 * MB },
    ];
    const unshared = Array.from({ length: 1000 }, (_, index) => ({
      name: `m${index}`,
      replicas: 1,
      parameters: [],
      otherBytes: 1000,
    }));
    const [large, small] = placeModels(unshared, sizes).servers;
    expect([large!.name, small!.name]).toEqual(['large', 'small']);
    expect(small!.models).toBeGreaterThan(50);
    expect(small!.models).toBeLessThanOrEqual(115);
  });

  test('memory is a limit, unless no server has room', () => {
    const models = families(6, 1);
    const tight = placeModels(models, servers(3, 23 * MB));
    for (const { bytes } of tight.servers) expect(bytes).toBeLessThanOrEqual(23 * MB);
    const reasons = [...tight.models.values()].flatMap(({ skipped }) => skipped.map(({ reason }) => reason));
    expect(reasons).toContain('memory');
    const over = placeModels(models, servers(1, 23 * MB));
    expect([...over.models.values()].filter(({ exceedsMemory }) => exceedsMemory).length).toBe(4);
    expect(over.models.size).toBe(6);
  });

  test('without servers, no model has one', () => {
    expect(serversOf(placeModels(families(1, 1), []), 'm0')).toEqual([]);
  });

  test('the order of the arguments does not matter', () => {
    const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length });
    const [models, all] = [families(5, 4, 2), servers(4, 30 * MB)];
    const expected = placeModels(models, all).models;
    fc.assert(
      fc.property(shuffled(models), shuffled(all), (someModels, someServers) => {
        expect(new Map([...placeModels(someModels, someServers).models].sort())).toEqual(new Map([...expected].sort()));
      }),
      { numRuns: 50 },
    );
  });
});
