import { expect, test } from 'vitest';
import type { PlaceableModel } from '../src/placement/groups.js';
import { type PlacementServer, placeModels } from '../src/placement/place-models.js';
import { hashOf } from '../src/placement/scores.js';

// Simulates 10^5 models on 10^3 servers, and compares the placement by the dominant shared
// parameter with consistent hashing by name.

const MODELS = 100_000;
const SERVERS = 1000;
const MB = 2 ** 20;
/** Points of a server on the ring of consistent hashing, for each unit of memory. */
const POINTS = 64;

/** The servers of each model by its name. */
type Owners = ReadonlyMap<string, string>;

/** Servers with 8, 16 and 32 GB. */
const servers: readonly PlacementServer[] = Array.from({ length: SERVERS }, (_, index) => ({
  name: `server-${index}`,
  memoryBytes: 8192 * MB * 2 ** (index % 3),
}));

/** 80 % of the models are in families of 5 to 400 members, the others share nothing. */
const models: readonly PlaceableModel[] = (() => {
  const all: PlaceableModel[] = [];
  const add = (parameters: PlaceableModel['parameters']) =>
    all.push({ name: `model-${all.length}`, replicas: 1, parameters, otherBytes: 20_000 });
  for (let family = 0; all.length < 0.8 * MODELS; family++) {
    const members = 5 + (hashOf(`members ${family}`) % 1000) ** 2 / 2500;
    const shared = { id: `shared ${family}`, bytes: MB * (1 + (hashOf(`bytes ${family}`) % 40)) };
    for (let member = 0; member < members && all.length < 0.8 * MODELS; member++)
      add([shared, { id: `own ${all.length}`, bytes: 200_000 }]);
  }
  while (all.length < MODELS) add([{ id: `own ${all.length}`, bytes: MB * (1 + (hashOf(`own ${all.length}`) % 10)) }]);
  return all;
})();

const bySharing = (all: readonly PlacementServer[], some = models): Owners =>
  new Map(
    [...placeModels(some, all).models].map(
      ([
        name,
        {
          servers: [owner],
        },
      ]) => [name, owner!],
    ),
  );

/** Consistent hashing: a model belongs to the next point of a server on a ring of hashes. */
function byName(all: readonly PlacementServer[], some = models): Owners {
  const least = Math.min(...all.map(({ memoryBytes }) => memoryBytes));
  const ring = all
    .flatMap(({ name, memoryBytes }) =>
      Array.from({ length: (POINTS * memoryBytes) / least }, (_, point) => ({ name, at: hashOf(`${name} ${point}`) })),
    )
    .sort((one, other) => one.at - other.at);
  const ownerOf = (hash: number) => {
    let [low, high] = [0, ring.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ring[middle]!.at < hash) low = middle + 1;
      else high = middle;
    }
    return ring[low % ring.length]!.name;
  };
  return new Map(some.map(({ name }) => [name, ownerOf(hashOf(name))]));
}

/** The largest number of models of a server, as a multiple of its share by memory. */
function imbalance(owners: Owners): number {
  const counts = new Map<string, number>();
  for (const owner of owners.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const memory = servers.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  return Math.max(
    ...servers.map(({ name, memoryBytes }) => (counts.get(name) ?? 0) / ((owners.size * memoryBytes) / memory)),
  );
}

/** The bytes of the parameters of all servers. A server has each parameter once. */
function bytesOf(owners: Owners): number {
  const held = new Set<string>();
  let bytes = 0;
  for (const { name, parameters, otherBytes } of models) {
    bytes += otherBytes;
    for (const parameter of parameters) {
      const key = `${owners.get(name)} ${parameter.id}`;
      if (!held.has(key)) bytes += parameter.bytes;
      held.add(key);
    }
  }
  return bytes;
}

/** The share of the models that move although their server still exists. */
const needlessMoves = (before: Owners, after: Owners, gone: ReadonlySet<string>): number =>
  [...before].filter(([name, owner]) => after.has(name) && !gone.has(owner) && after.get(name) !== owner).length /
  before.size;

test('100,000 models on 1,000 servers: balance, movement and shared bytes', () => {
  const gone = new Set(servers.slice(0, 10).map(({ name }) => name));
  const most = models.slice(0, Math.floor(0.99 * MODELS));
  const once = models.reduce((sum, { otherBytes }) => sum + otherBytes, 0);
  const distinct = new Map(models.flatMap(({ parameters }) => parameters.map(({ id, bytes }) => [id, bytes])));
  const ideal = once + [...distinct.values()].reduce((sum, bytes) => sum + bytes, 0);
  const measured = (place: typeof bySharing) => {
    const started = process.cpuUsage();
    const owners = place(servers);
    const { user } = process.cpuUsage(started);
    const rest = place(servers.filter(({ name }) => !gone.has(name)));
    return {
      imbalance: imbalance(owners),
      needlessMovesOfLoss: needlessMoves(owners, rest, gone),
      needlessMovesOfGrowth: needlessMoves(place(servers, most), owners, new Set()),
      bytes: bytesOf(owners) / ideal,
      cpuMs: user / 1000,
    };
  };
  const sharing = measured(bySharing);
  const name = measured(byName);
  console.log(`${MODELS} models, ${SERVERS} servers, ${(ideal / 2 ** 30).toFixed(0)} GiB of distinct parameters`);
  for (const [placement, row] of Object.entries({ 'by shared parameter': sharing, 'by name': name }))
    console.log(
      placement,
      Object.entries(row)
        .map(([key, value]) => `${key} ${value.toFixed(3)}`)
        .join(', '),
    );
  expect(sharing.imbalance).toBeLessThan(1.2);
  expect(sharing.imbalance).toBeLessThan(name.imbalance);
  expect(sharing.bytes).toBeLessThan(1.2);
  expect(name.bytes).toBeGreaterThan(2 * sharing.bytes);
  expect(sharing.needlessMovesOfLoss).toBeLessThan(0.1);
});
