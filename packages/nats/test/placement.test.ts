import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { constantModel } from '../../http/test/models.js';
import {
  type Catalog,
  type CatalogFollower,
  type ClusterServer,
  connectFleet,
  type Fleet,
  followCatalog,
  joinCluster,
  openCatalog,
} from '../dist/index.js';
import { errorOf } from './errors.js';
import { member, pack } from './fleet-files.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-placement-'));
afterAll(() => rmSync(folder, { recursive: true }));
const MEMORY = 2 ** 30;
const FAMILY = ['a0', 'a1', 'a2', 'a3'];
const OTHERS = Array.from({ length: 8 }, (_, index) => `c${index}`);

/** A server of the cluster in this process, with a separate connection. */
interface Server {
  readonly name: string;
  readonly registry: ModelRegistry;
  readonly follower: CatalogFollower;
  readonly cluster: ClusterServer;
  /** Ends the server as a crash does: without a message to the others. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

describe.skipIf(!hasNatsServer)('placement', () => {
  let nats: NatsServer;
  let catalog: Catalog;
  let fleet: Fleet;
  let names: string;
  let running: Server[] = [];
  let catalogs = 0;

  beforeAll(async () => {
    nats = await startNats(0, ['-js', '-sd', join(folder, 'jetstream')]);
    await pack(join(folder, 'family.brezel'), Object.fromEntries(FAMILY.map((name, index) => [name, member(index)])));
    await pack(
      join(folder, 'others.brezel'),
      Object.fromEntries(OTHERS.map((name, index) => [name, constantModel(index)])),
    );
  });
  afterAll(() => nats?.kill());
  beforeEach(async () => {
    names = `placed-${++catalogs}`;
    catalog = await openCatalog({ servers: nats.url, catalog: names });
    fleet = await connectFleet({ servers: nats.url });
    await catalog.push(join(folder, 'family.brezel'));
    await catalog.push(join(folder, 'others.brezel'));
  });
  afterEach(async () => {
    for (const server of running) await server.close();
    running = [];
    await fleet.close();
    await catalog.close();
  });

  async function start(name: string): Promise<Server> {
    const connection: NatsConnection = await connect({ servers: nats.url });
    const registry = await createRegistry();
    const follower = await followCatalog({
      registry,
      connection,
      catalog: names,
      name,
      memoryBytes: MEMORY,
      heartbeatMs: 200,
      cacheFolder: join(folder, 'cache'),
    });
    await follower.synchronized();
    const cluster = await joinCluster({ registry, connection, name, logError: () => {} });
    const end = async () => {
      running = running.filter((each) => each !== server);
      await connection.close();
      await follower.close();
      await cluster.close();
      await registry.close();
    };
    const close = async () => {
      await follower.close();
      await cluster.close();
      await end();
    };
    const server: Server = { name, registry, follower, cluster, crash: end, close };
    running.push(server);
    return server;
  }

  /** Waits until every model is answered by exactly the servers that it is placed on. */
  async function untilPlaced(replicas = 1): Promise<Map<string, readonly string[]>> {
    let placed = new Map<string, readonly string[]>();
    await until(async () => {
      const { models, servers } = await catalog.placement();
      placed = new Map(models.map((model) => [model.name, model.servers]));
      return (
        servers.length === running.length &&
        models.every(
          ({ servers: all, answeredBy }) =>
            all.length === Math.min(replicas, servers.length) &&
            all.toSorted().join() === [...answeredBy].sort().join(),
        )
      );
    });
    return placed;
  }

  const answers = async () =>
    Promise.all(OTHERS.map(async (name) => (await fleet.predict(name, { x: [1, 2] })).y)).then((all) => all.flat());
  const expected = OTHERS.map((_, index) => index);

  test('each model is on one server, and models of a family are together', async () => {
    for (const name of ['r1', 'r2', 'r3']) await start(name);
    const placed = await untilPlaced();
    expect(new Set(FAMILY.flatMap((name) => placed.get(name)!)).size).toBe(1);
    expect(new Set([...placed.values()].flat()).size).toBeGreaterThan(1);
    for (const { registry, follower, name } of running) {
      const own = [...placed].filter(([, servers]) => servers.includes(name)).map(([model]) => model);
      expect(registry.names().toSorted()).toEqual(own.toSorted());
      expect(follower.stats().placement).toEqual({
        servers: expect.arrayContaining(['r1', 'r2', 'r3']),
        models: expect.arrayContaining(own),
      });
    }
    expect(await answers()).toEqual(expected);
    const { models } = await catalog.placement();
    const family = models.find(({ name }) => name === 'a0')!;
    expect(family.parameter).toMatchObject({ sharedBy: 4 });
    expect(family.parameter!.bytes).toBeGreaterThan(100_000);
  });

  test('the models of a server that ends move, and return with the server, without an error', async () => {
    for (const name of ['r1', 'r2', 'r3']) await start(name);
    const before = await untilPlaced();
    await answers();
    let isOver = false;
    const load = (async () => {
      while (!isOver) expect(await answers()).toEqual(expected);
    })();
    const [victim] = [...before.values()][0]!;
    await running.find(({ name }) => name === victim)!.crash();
    const during = await untilPlaced();
    expect([...during.values()].flat()).not.toContain(victim);
    await start(victim!);
    expect(await untilPlaced()).toEqual(before);
    isOver = true;
    await load;
  });

  test('a server that leaves answers until the others answer its models', async () => {
    const [first] = [await start('r1'), await start('r2')];
    await untilPlaced();
    await answers();
    await first!.follower.leave();
    const { models } = await catalog.placement();
    expect(models.every(({ answeredBy }) => answeredBy.includes('r2'))).toBe(true);
    await first!.close();
    expect(await answers()).toEqual(expected);
    await running[0]!.follower.leave(); // no other server is left
  });

  test('scale sets the number of servers of a model', async () => {
    for (const name of ['r1', 'r2', 'r3']) await start(name);
    for (const name of [...FAMILY, ...OTHERS]) await catalog.scale(name, 2);
    await untilPlaced(2);
    expect((await catalog.list())[0]).toMatchObject({ name: 'a0', replicas: 2 });
    for (const name of [...FAMILY, ...OTHERS]) await catalog.scale(name, 1);
    await untilPlaced();
    for (const replicas of [0, 1.5, 1001])
      expect((await errorOf(catalog.scale('a0', replicas))).code).toBe('ERR_NATS_CATALOG');
    expect((await errorOf(catalog.scale('missing', 2))).code).toBe('ERR_NATS_CATALOG');
  });

  test('without servers, the report has no placement', async () => {
    const { servers, models } = await catalog.placement();
    expect(servers).toEqual([]);
    expect(models[0]).toMatchObject({ name: 'a0', servers: [], answeredBy: [] });
  });

  test('invalid reports of servers are ignored', async () => {
    await start('r1');
    const connection = await connect({ servers: nats.url });
    for (const text of ['', '{}', '[]', '{"format":"brezel-server-1","name":"x"}'])
      connection.publish('brezel.v1.servers', text);
    await connection.close();
    expect([...(await untilPlaced()).values()].flat()).toEqual(Array(12).fill('r1'));
  });

  test.each([{ memoryBytes: 0 }, { heartbeatMs: 1 }, { memoryBytes: 1, name: 'x'.repeat(129) }])(
    'rejects %j',
    async (options) => {
      await using registry = await createRegistry();
      expect((await errorOf(followCatalog({ registry, servers: nats.url, ...options }))).code).toBe('ERR_NATS_OPTION');
    },
  );
});
