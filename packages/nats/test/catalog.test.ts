import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { connect } from '@nats-io/transport-node';
import { createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { until } from '../../../testing/until.js';
import { addModel, constantModel } from '../../http/test/models.js';
import {
  type Catalog,
  type CatalogFollower,
  connectFleet,
  type FollowOptions,
  followCatalog,
  joinCluster,
  openCatalog,
} from '../dist/index.js';
import { encodeRecipe, sha256Of } from '../src/artifacts/recipe.js';
import { encodeModel } from '../src/catalog/model-entry.js';
import { errorOf } from './errors.js';
import { pack } from './fleet-files.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-catalog-'));
afterAll(() => rmSync(folder, { recursive: true }));
const row = { x: [1, 2] };

describe.skipIf(!hasNatsServer)('the catalog', () => {
  let nats: NatsServer;
  let catalog: Catalog;
  let registry: ModelRegistry;
  const closing: (() => Promise<unknown>)[] = [];
  const files: string[] = [];
  let catalogs = 0;

  beforeAll(async () => {
    nats = await startNats(0, ['-js', '-sd', join(folder, 'jetstream')]);
    for (const answer of [1, 2, 3]) {
      const { path } = await pack(join(folder, `${answer}.brezel`), { m: constantModel(answer) });
      files.push(path);
    }
  });
  afterAll(() => nats?.kill());
  beforeEach(async () => {
    catalogs++;
    catalog = await openCatalog({ servers: nats.url, catalog: names() });
    registry = await createRegistry();
    closing.push(
      () => catalog.close(),
      () => registry.close(),
    );
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** The bucket of the catalog of one test. */
  const names = () => `catalog-${catalogs}`;

  async function follow(options: Partial<FollowOptions> = {}): Promise<CatalogFollower> {
    const cacheFolder = join(folder, 'cache');
    const follower = await followCatalog({ registry, servers: nats.url, catalog: names(), cacheFolder, ...options });
    closing.push(() => follower.close());
    return follower;
  }

  const answer = async (reference = 'm', from = registry) => (await from.predict(reference, row)).y;
  const aliases = () =>
    registry.model('m')?.aliases.map(({ alias, version, canary }) => [alias, version, canary?.percent]);

  test('push, list, promote, canary, rollback and remove', async () => {
    expect(await catalog.list()).toEqual([]);
    const [first] = await catalog.push(files[0]!);
    expect(first).toMatchObject({ name: 'm', version: '1' });
    expect(await catalog.push(files[1]!)).toMatchObject([{ version: '2' }]);
    expect(await catalog.push(files[1]!)).toMatchObject([{ version: '2', sentBytes: 0 }]);
    expect(await catalog.push(files[2]!, { version: 'best' })).toMatchObject([{ version: 'best' }]);
    expect((await errorOf(catalog.push(files[0]!, { version: 'best' }))).code).toBe('ERR_NATS_CATALOG');
    await catalog.promote('m:live', 2);
    await catalog.canary('m:live', { to: 'best', percent: 10 });
    const [model] = await catalog.list();
    expect(model!.aliases).toMatchObject([
      { alias: 'default', version: '1' },
      { alias: 'live', version: '2', canary: { version: 'best', percent: 10 } },
    ]);
    expect((await errorOf(catalog.remove('m@best'))).code).toBe('ERR_NATS_CATALOG');
    await catalog.rollback('m:live');
    await catalog.remove('m@best');
    expect((await catalog.list())[0]!.versions.map(({ version }) => version)).toEqual(['1', '2']);
    await catalog.remove('m');
    expect(await catalog.list()).toEqual([]);
    for (const call of [catalog.promote('m', 1), catalog.rollback('m'), catalog.remove('m')])
      expect((await errorOf(call)).code).toBe('ERR_NATS_CATALOG');
  });

  test('changes of several clients at the same time are all applied', async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, () => openCatalog({ servers: nats.url, catalog: names() })),
    );
    closing.push(...others.map((other) => () => other.close()));
    const pushed = await Promise.all(files.map((path, index) => others[index]!.push(path)));
    expect(pushed.map(([model]) => model!.version).sort()).toEqual(['1', '2', '3']);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => others[index % 3]!.promote(`m:alias-${index}`, 1 + (index % 3))),
    );
    expect((await catalog.list())[0]!.aliases.length).toBe(13);
  });

  test('a server loads the models, and follows each change', async () => {
    await catalog.push(files[0]!);
    const follower = await follow();
    await follower.synchronized();
    expect(await answer()).toEqual([1]);
    await catalog.push(files[1]!);
    await until(() => registry.has('m@2'));
    expect(await answer()).toEqual([1]);
    await catalog.promote('m', 2);
    await until(() => registry.resolve('m') === 'm@2');
    expect(await answer()).toEqual([2]);
    await catalog.canary('m', { to: 1, percent: 30 });
    await until(() => aliases()![0]![2] === 30);
    await catalog.canary('m', { to: 1, percent: 60 });
    await until(() => aliases()![0]![2] === 60);
    await catalog.rollback('m');
    await until(() => aliases()![0]![2] === undefined);
    expect(aliases()).toEqual([['m:default', 'm@2', undefined]]);
    await catalog.rollback('m');
    await until(() => registry.resolve('m') === 'm@1');
    await catalog.promote('m:live', 1);
    await until(() => registry.has('m:live'));
    await catalog.remove('m@2');
    await until(() => !registry.has('m@2'));
    await catalog.remove('m');
    await until(() => registry.model('m') === undefined);
    expect(follower.stats().models).toEqual([]);
    await catalog.push(files[2]!);
    await until(() => registry.has('m'));
    expect(await answer()).toEqual([3]);
    expect(follower.stats().models).toEqual([{ name: 'm', errors: [] }]);
  });

  test('an empty catalog is synchronized', async () => {
    await (await follow()).synchronized();
    expect(registry.names()).toEqual([]);
  });

  test('a model that was removed and pushed again gets its new content', async () => {
    await catalog.push(files[0]!);
    const follower = await follow();
    await follower.synchronized();
    await catalog.remove('m');
    await catalog.push(files[1]!);
    await until(async () => (registry.has('m') ? (await answer())?.toString() === '2' : false));
    expect(registry.names()).toEqual(['m']);
  });

  test('two servers answer with the version of the catalog while it changes', async () => {
    const other = await createRegistry();
    closing.push(() => other.close());
    await catalog.push(files[0]!);
    await catalog.push(files[1]!);
    for (const target of [registry, other]) {
      await (await follow({ registry: target })).synchronized();
      const server = await joinCluster({ registry: target, servers: nats.url });
      closing.push(() => server.close());
    }
    const fleet = await connectFleet({ servers: nats.url });
    closing.push(() => fleet.close());
    const seen = new Set<string>();
    let isDone = false;
    const load = (async () => {
      while (!isDone) seen.add(String((await fleet.predict('m', row)).y));
    })();
    await until(() => seen.has('1'));
    await catalog.promote('m', 2);
    await until(() => [registry, other].every((target) => target.resolve('m') === 'm@2'));
    await until(() => seen.has('2'));
    isDone = true;
    await load;
    expect([...seen].sort()).toEqual(['1', '2']);
  });

  /** Writes a version whose file this version of Brezel rejects: its format has another number. */
  async function pushNewerFormat(version: string): Promise<void> {
    const connection = await connect({ servers: nats.url });
    const bytes = Buffer.from(readFileSync(files[2]!));
    bytes.writeUInt32LE(2, 8);
    const objects = await new Objm(connection).open('brezel-artifacts');
    await objects.putBlob({ name: sha256Of(bytes) }, bytes);
    const recipe = encodeRecipe({ bytes: bytes.length, parts: [{ sha256: sha256Of(bytes), bytes: bytes.length }] });
    await objects.putBlob({ name: sha256Of(recipe) }, recipe);
    const [model] = await catalog.list();
    const added = { version, artifact: sha256Of(recipe), plan: 'm' };
    const kv = await new Kvm(connection).open(names());
    await kv.put('m', encodeModel({ ...model!, versions: [...model!.versions, added] }));
    await connection.close();
  }

  test('a version that cannot be loaded never gets requests: the alias keeps its version', async () => {
    const logged: unknown[] = [];
    const clock = new ManualClock();
    await catalog.push(files[0]!);
    const follower = await follow({ logError: (error) => logged.push(error), clock });
    await follower.synchronized();
    await pushNewerFormat('next');
    await catalog.promote('m', 'next');
    await until(() => follower.stats().models[0]!.errors.length === 1);
    expect(follower.stats().models).toMatchObject([
      { name: 'm', errors: [{ reference: 'm:default', code: 'ERR_STORE_VERSION' }] },
    ]);
    expect(await answer()).toEqual([1]);
    expect(logged.length).toBe(1);
    await catalog.canary('m', { to: 1, percent: 50 });
    await until(async () => (await catalog.list())[0]!.aliases[0]!.canary !== undefined);
    await follower.synchronized();
    expect(registry.resolve('m')).toBe('m@1');
    await catalog.push(files[1]!);
    await catalog.promote('m', 2);
    await until(() => registry.resolve('m') === 'm@2');
    await until(() => follower.stats().models[0]!.errors.length === 0);
    expect(await answer()).toEqual([2]);
  });

  test('a new model whose version cannot be loaded is not added, and is tried again', async () => {
    await catalog.push(files[0]!);
    await pushNewerFormat('next');
    await catalog.promote('m', 'next');
    const clock = new ManualClock();
    const follower = await follow({ logError: () => {}, clock });
    await follower.synchronized();
    expect(follower.stats().models).toMatchObject([{ errors: [{ reference: 'm', code: 'ERR_STORE_VERSION' }] }]);
    expect(registry.names()).toEqual([]);
    clock.advance(30_000);
    await follower.synchronized();
    expect(registry.names()).toEqual([]);
    await catalog.rollback('m');
    await until(() => registry.has('m'));
    expect(await answer()).toEqual([1]);
  });

  test('a local model with the same name stays as it is', async () => {
    addModel(registry, 'm', constantModel(7));
    await catalog.push(files[0]!);
    const follower = await follow({ logError: () => {} });
    await follower.synchronized();
    expect(await answer()).toEqual([7]);
    expect(follower.stats().models[0]!.errors).toMatchObject([{ code: 'ERR_NATS_CATALOG' }]);
    await catalog.remove('m');
    await until(() => follower.stats().models.length === 0);
    expect(await answer()).toEqual([7]);
  });

  test('an invalid entry is reported, and the others are loaded', async () => {
    const connection = await connect({ servers: nats.url });
    await catalog.push(files[0]!);
    const [model] = await catalog.list();
    const kv = await new Kvm(connection).open(names());
    await kv.put('bad', '{');
    await kv.put('other', encodeModel(model!));
    await connection.close();
    const logged: unknown[] = [];
    const follower = await follow({ logError: (error) => logged.push(error) });
    await follower.synchronized();
    expect(await answer()).toEqual([1]);
    expect(logged).toMatchObject([{ code: 'ERR_NATS_CATALOG' }, { code: 'ERR_NATS_CATALOG' }]);
    expect((await errorOf(catalog.list())).code).toBe('ERR_NATS_CATALOG');
  });

  test('NATS is away: the server answers what it has, and follows again', async () => {
    const storage = join(folder, 'away');
    const own = await startNats(0, ['-js', '-sd', storage]);
    const before = await openCatalog({ servers: own.url });
    await before.push(files[0]!);
    await before.push(files[1]!);
    const follower = await followCatalog({ registry, servers: own.url, cacheFolder: join(folder, 'cache') });
    await follower.synchronized();
    await own.kill();
    expect(await answer()).toEqual([1]);
    const again = await startNats(own.port, ['-js', '-sd', storage]);
    await until(() =>
      before.promote('m', 2).then(
        () => true,
        () => false,
      ),
    );
    await until(() => registry.resolve('m') === 'm@2');
    expect(await answer()).toEqual([2]);
    await follower.close();
    expect(await answer()).toEqual([2]);
    await before.close();
    await again.kill();
  });

  test('clients of the catalog close while NATS is away', async () => {
    const own = await startNats(0, ['-js', '-sd', join(folder, 'closing')]);
    const client = await openCatalog({ servers: own.url });
    await client.push(files[0]!);
    const follower = await followCatalog({ registry, servers: own.url, cacheFolder: join(folder, 'cache') });
    await follower.synchronized();
    await own.kill();
    await Promise.all([client.close(), follower.close()]);
    expect(await answer()).toEqual([1]);
  });

  test('a closed follower leaves nothing on the connection of the caller', async () => {
    const connection = await connect({ servers: nats.url });
    const { protocol } = connection as unknown as { protocol: { subscriptions: { size(): number } } };
    await connection.request('$JS.API.INFO');
    const before = protocol.subscriptions.size();
    for (const isAtOnce of [true, false]) {
      const follower = await follow({ servers: undefined as never, connection });
      if (!isAtOnce) await follower.synchronized();
      await follower.close();
      expect(follower.close()).toBe(follower.close());
      await follower.synchronized();
    }
    await connection.flush();
    expect(protocol.subscriptions.size()).toBe(before);
    expect(connection.isClosed()).toBe(false);
    await connection.close();
  });

  test('a server without JetStream, invalid names and unknown options', async () => {
    const plain = await startNats();
    expect((await errorOf(openCatalog({ servers: plain.url }))).code).toBe('ERR_NATS_STORE');
    expect((await errorOf(followCatalog({ registry, servers: plain.url }))).code).toBe('ERR_NATS_STORE');
    await plain.kill();
    for (const reference of ['', 'a:b:c', ':x', 'm:', 'm@1', null])
      expect((await errorOf(catalog.promote(reference as never, 1))).code).toBe('ERR_NATS_CATALOG');
    expect((await errorOf(openCatalog({ servers: nats.url, store: {} } as never))).code).toBe('ERR_NATS_OPTION');
    expect((await errorOf(followCatalog({ servers: nats.url } as never))).code).toBe('ERR_NATS_OPTION');
    await catalog.close();
    expect((await errorOf(catalog.list())).code).toBe('ERR_NATS_CLOSED');
  });
});
