import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { jetstream } from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createRegistry } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../testing/guard.js';
import { until } from '../../../testing/until.js';
import { constantModel } from '../../http/test/models.js';
import { type ArtifactOptions, openArtifacts } from '../dist/index.js';
import { sha256Of } from '../src/artifacts/recipe.js';
import { errorOf } from './errors.js';
import { member, type PackedFile, pack } from './fleet-files.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-artifacts-'));
afterAll(() => rmSync(folder, { recursive: true }));

let folders = 0;
/** Returns the path of a new cache folder. */
const newCache = () => join(folder, `cache-${folders++}`);
const filesIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.brezel'));

describe.skipIf(!hasNatsServer)('artifacts', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let bucket: ObjectStore;
  let first: PackedFile;
  let second: PackedFile;
  let firstId: string;

  beforeAll(async () => {
    nats = await startNats(0, ['-js', '-sd', join(folder, 'jetstream')]);
    connection = await connect({ servers: nats.url });
    first = await pack(join(folder, 'first.brezel'), { m0: member(0) });
    second = await pack(join(folder, 'second.brezel'), { m1: member(1) });
    await using artifacts = await open();
    firstId = (await artifacts.push(first.path)).artifact;
    bucket = await new Objm(connection).open('brezel-artifacts');
  });
  afterAll(async () => {
    await connection?.close();
    await nats?.kill();
  });

  const open = (options: Partial<ArtifactOptions> = {}) =>
    openArtifacts({ servers: nats.url, cacheFolder: newCache(), ...options });

  test('a fetched file has the bytes of the pushed file, and is fetched once', async () => {
    await using artifacts = await open();
    const paths = await Promise.all([artifacts.fetch(firstId), artifacts.fetch(firstId)]);
    expect(paths[0]).toBe(paths[1]);
    expect(readFileSync(paths[0]!).equals(readFileSync(first.path))).toBe(true);
    const { built, fetchedBytes } = artifacts.stats();
    expect(built).toBe(1);
    await artifacts.fetch(firstId);
    expect(artifacts.stats().fetchedBytes).toBe(fetchedBytes);
  });

  test('a further member of a family moves only the bytes that differ', async () => {
    await using artifacts = await open();
    await artifacts.fetch(firstId);
    const before = artifacts.stats();
    const pushed = await artifacts.push(second.path);
    expect(pushed).toMatchObject({ plans: ['m1'], bytes: second.bytes });
    const path = await artifacts.fetch(pushed.artifact);
    expect(readFileSync(path).equals(readFileSync(second.path))).toBe(true);
    const fetched = artifacts.stats().fetchedBytes - before.fetchedBytes;
    expect(fetched).toBe(pushed.sentBytes);
    expect(fetched).toBeLessThan(second.bytes / 20); // 17,121 of 1,337,440 bytes
    expect(artifacts.stats().copiedBytes).toBeGreaterThan((second.bytes * 9) / 10);
    const again = await artifacts.push(second.path);
    expect(again).toEqual({ ...pushed, sentBytes: 0 });
  });

  test('replicas of a host share the cache folder', async () => {
    const cacheFolder = newCache();
    await using one = await open({ cacheFolder });
    const path = await one.fetch(firstId);
    await using other = await open({ cacheFolder });
    expect(await other.fetch(firstId)).toBe(path);
    expect(other.stats()).toEqual({ sentBytes: 0, fetchedBytes: 0, copiedBytes: 0, built: 0 });
  });

  test('replicas that fetch at the same time', async () => {
    const cacheFolder = newCache();
    const clients = await Promise.all(Array.from({ length: 4 }, () => open({ cacheFolder })));
    const paths = await Promise.all(clients.map((client) => client.fetch(firstId)));
    expect(new Set(paths).size).toBe(1);
    expect(readFileSync(paths[0]!).equals(readFileSync(first.path))).toBe(true);
    expect(readdirSync(cacheFolder).length).toBe(2);
    await Promise.all(clients.map((client) => client.close()));
  });

  test('a registry loads plans of an artifact, also after an unload and an empty cache', async () => {
    const local = await createRegistry();
    local.add('m', member(0));
    const registry = await createRegistry();
    const cacheFolder = newCache();
    const artifacts = await open({ cacheFolder, store: registry.store });
    registry.add('m', artifacts.source(firstId, 'm0'));
    registry.add('other', artifacts.source(firstId, 'm9'));
    const expected = await local.predict('m', 'a good film');
    expect(await registry.predict('m', 'a good film')).toStrictEqual(expected);
    expect((await errorOf(registry.predict('other', 'x'))).code).toBe('ERR_REGISTRY_LOAD');
    expect(registry.unload('m')).toBe(true);
    rmSync(cacheFolder, { recursive: true });
    expect(await registry.predict('m', 'a good film')).toStrictEqual(expected);
    expect(artifacts.stats().built).toBe(2);
    await artifacts.close();
    expect(await registry.predict('m', 'a good film')).toStrictEqual(expected);
    await Promise.all([registry.close(), local.close()]);
  });

  test('pushes of one file at the same time, while a replica fetches it', async () => {
    const file = await pack(join(folder, 'both.brezel'), { m5: member(5), m6: member(6) });
    const clients = await Promise.all([open({ bucket: 'both' }), open({ bucket: 'both' })]);
    const pushed = await Promise.all(clients.map((client) => client.push(file.path)));
    expect(pushed[0]!.artifact).toBe(pushed[1]!.artifact);
    const replica = await open({ bucket: 'both' });
    const [path] = await Promise.all([
      replica.fetch(pushed[0]!.artifact),
      ...clients.map((client) => client.push(file.path)),
    ]);
    expect(readFileSync(path).equals(readFileSync(file.path))).toBe(true);
    await Promise.all([...clients, replica].map((client) => client.close()));
  });

  describe('hostile objects', () => {
    const content = Buffer.from('the bytes of a part');
    const sha256 = sha256Of(content);
    const recipe = (value: unknown) => Buffer.from(JSON.stringify(value));
    const valid = recipe({ format: 'brezel-artifact-1', bytes: content.length, parts: [[sha256, content.length]] });
    const digestOf = (bytes: Uint8Array) => {
      const digest = Buffer.from(sha256Of(bytes), 'hex').toString('base64url');
      return `SHA-256=${digest}=`;
    };
    const metaSubject = (name: string) =>
      `$O.brezel-artifacts.M.${Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_')}`;

    /** Writes the description of an object and its pieces, without any check. */
    async function forge(name: string, pieces: readonly Uint8Array[], changes: object = {}): Promise<void> {
      const js = jetstream(connection);
      const nuid = crypto.randomUUID();
      for (const piece of pieces) await js.publish(`$O.brezel-artifacts.C.${nuid}`, piece);
      const options = { max_chunk_size: 131_072 };
      const whole = { name, bucket: 'brezel-artifacts', nuid, size: content.length, chunks: pieces.length, options };
      const info = { ...whole, digest: digestOf(content), deleted: false, mtime: new Date().toISOString(), ...changes };
      await js.publish(metaSubject(name), JSON.stringify(info));
    }

    async function fetchError(artifact: string, stallMs = GUARD_MS) {
      const cacheFolder = newCache();
      await using artifacts = await open({ cacheFolder, stallMs });
      const error = await errorOf(artifacts.fetch(artifact));
      expect(existsSync(cacheFolder) ? readdirSync(cacheFolder) : []).toEqual([]);
      return error;
    }

    beforeAll(async () => {
      await bucket.putBlob({ name: sha256Of(valid) }, valid);
    });

    test('control: the forged object without a fault is fetched', async () => {
      await forge(sha256, [content.subarray(0, 7), content.subarray(7)]);
      await using artifacts = await open();
      expect(readFileSync(await artifacts.fetch(sha256Of(valid))).equals(content)).toBe(true);
    });

    const other = Buffer.from('THE bytes of a part');
    test.each<[string, readonly Uint8Array[], object]>([
      ['other bytes', [other], {}],
      ['other bytes with their digest', [other], { digest: digestOf(other) }],
      ['fewer bytes', [content.subarray(0, 5)], {}],
      ['fewer bytes with their size', [content.subarray(0, 5)], { size: 5, digest: digestOf(content.subarray(0, 5)) }],
      ['one large piece', [Buffer.alloc(500_000)], {}],
      ['a huge size', [content], { size: 2 ** 50 }],
      ['a size that is not a number', [content], { size: 'x' }],
      ['a negative size', [content], { size: -1 }],
      ['no digest', [content], { digest: undefined }],
      ['a digest that is not a text', [content], { digest: 7 }],
      ['a link to another bucket', [content], { options: { link: { bucket: 'other', name: 'x' } } }],
      ['a deleted object', [content], { deleted: true }],
    ])('%s', async (_, pieces, changes) => {
      await forge(sha256, pieces, changes);
      expect((await fetchError(sha256Of(valid))).code).toBe('ERR_NATS_ARTIFACT');
      const streams = await (await jetstream(connection).jetstreamManager()).streams.names().next();
      expect(streams).not.toContain('OBJ_other');
    });

    test.each<[string, readonly Uint8Array[], object]>([
      ['an object whose bytes never arrive', [], {}],
      ['a pattern of subjects as its id', [content], { nuid: '>' }],
    ])('%s', async (_, pieces, changes) => {
      await forge(sha256, pieces, changes);
      expect(['ERR_NATS_STORE', 'ERR_NATS_ARTIFACT']).toContain((await fetchError(sha256Of(valid), 50)).code);
    });

    test('bytes after the end of an object are ignored', async () => {
      await forge(sha256, [content, content]);
      await using artifacts = await open({ stallMs: GUARD_MS });
      const read = async () => readFileSync(await artifacts.fetch(sha256Of(valid))).toString();
      // The library rejects the object if all its pieces arrive before the first is read.
      const fetched = await read().catch((error: { code: string }) => error.code);
      expect([content.toString(), 'ERR_NATS_ARTIFACT']).toContain(fetched);
    });

    test('a description that is not JSON', async () => {
      await jetstream(connection).publish(metaSubject(sha256), '{');
      expect((await fetchError(sha256Of(valid))).code).toBe('ERR_NATS_STORE');
    });

    test('a missing artifact and a missing part', async () => {
      const missing = sha256Of(Buffer.from('missing'));
      expect(await fetchError(missing)).toMatchObject({
        code: 'ERR_NATS_ARTIFACT',
        details: { received: 'no object' },
      });
      const bytes = recipe({ format: 'brezel-artifact-1', bytes: 3, parts: [[missing, 3]] });
      await bucket.putBlob({ name: sha256Of(bytes) }, bytes);
      const error = await fetchError(sha256Of(bytes));
      expect(error).toMatchObject({ code: 'ERR_NATS_ARTIFACT', details: { at: `object ${missing}` } });
    });

    test.each([
      ['another value', { format: 'x' }],
      ['no parts', { format: 'brezel-artifact-1', bytes: 0, parts: [] }],
    ])('a recipe that is %s', async (_, value) => {
      const bytes = recipe(value);
      await bucket.putBlob({ name: sha256Of(bytes) }, bytes);
      expect((await fetchError(sha256Of(bytes))).code).toBe('ERR_NATS_ARTIFACT');
    });

    test('a recipe that is too large', async () => {
      const bytes = Buffer.alloc(2 ** 20 + 1);
      await bucket.putBlob({ name: sha256Of(bytes) }, bytes);
      expect((await fetchError(sha256Of(bytes))).details).toMatchObject({ received: `${bytes.length} bytes` });
    });

    test('a push replaces an object that has other bytes', async () => {
      await using artifacts = await open();
      const small = await pack(join(folder, 'small.brezel'), { small: constantModel(3) });
      const { artifact } = await artifacts.push(small.path);
      const [name] = (JSON.parse((await bucket.getBlob(artifact))!.toString()) as { parts: [string][] }).parts[0]!;
      await bucket.putBlob({ name }, other);
      await expect(artifacts.fetch(artifact)).rejects.toMatchObject({ code: 'ERR_NATS_ARTIFACT' });
      expect((await artifacts.push(small.path)).sentBytes).toBeGreaterThan(0);
      expect(readFileSync(await artifacts.fetch(artifact)).equals(readFileSync(small.path))).toBe(true);
    });

    test.each(['', 'x', '../../etc/passwd', `${sha256}/..`, sha256.toUpperCase(), null, {}])(
      'the id %j',
      async (artifact) => {
        await using artifacts = await open();
        expect((await errorOf(artifacts.fetch(artifact as never))).code).toBe('ERR_NATS_ARTIFACT');
      },
    );
  });

  describe('the cache folder', () => {
    test('removes the least recently used file at its limit, but no file in use', async () => {
      const registry = await createRegistry();
      const files = await Promise.all(
        [2, 3, 4].map((number) => pack(join(folder, `limit-${number}.brezel`), { m: member(number) })),
      );
      const cacheBytes = files[0]!.bytes + files[1]!.bytes;
      await using artifacts = await open({ cacheBytes, store: registry.store, cacheFolder: join(folder, 'limit') });
      const ids = [];
      for (const { path } of files) ids.push((await artifacts.push(path)).artifact);
      registry.add('m', artifacts.source(ids[0]!, 'm'));
      await registry.load('m');
      const paths = [await artifacts.fetch(ids[0]!), await artifacts.fetch(ids[1]!)];
      utimesSync(paths[0]!, 1, 1); // the file in use is the oldest
      await artifacts.fetch(ids[2]!);
      const names = () => filesIn(join(folder, 'limit')).sort();
      expect(names()).toEqual([`${ids[0]}.brezel`, `${ids[2]}.brezel`].sort());
      await artifacts.fetch(ids[1]!);
      expect(names()).toEqual([`${ids[0]}.brezel`, `${ids[1]}.brezel`].sort());
      await registry.close();
    });

    test('a file that is larger than the limit', async () => {
      await using artifacts = await open({ cacheBytes: 1000 });
      expect((await errorOf(artifacts.fetch(firstId))).code).toBe('ERR_NATS_CACHE');
    });

    test('a folder that other users can read, a link, and a file', async () => {
      const [open755, link, file] = [newCache(), newCache(), newCache()];
      mkdirSync(open755);
      chmodSync(open755, 0o755);
      symlinkSync(newCache(), link);
      writeFileSync(file, 'x');
      for (const cacheFolder of [open755, link, file, join(file, 'inside')]) {
        await using artifacts = await open({ cacheFolder });
        expect((await errorOf(artifacts.fetch(firstId))).code).toBe('ERR_NATS_CACHE');
      }
    });

    test('a damaged file is not copied, and is built again before a plan is loaded', async () => {
      const cacheFolder = newCache();
      const registry = await createRegistry();
      await using artifacts = await open({ cacheFolder, store: registry.store });
      const path = await artifacts.fetch(firstId);
      const bytes = readFileSync(path);
      writeFileSync(
        path,
        bytes.map((byte, index) => (index >= 128 && index < bytes.length - 5000 ? byte ^ 1 : byte)),
      );
      const { artifact } = await artifacts.push(second.path);
      expect(readFileSync(await artifacts.fetch(artifact)).equals(readFileSync(second.path))).toBe(true);
      registry.add('m', artifacts.source(firstId, 'm0'));
      await registry.load('m');
      expect(readFileSync(path).equals(bytes)).toBe(true);
      await registry.close();
    });

    /** Runs a child process that fetches an artifact. */
    function fetchInChild(artifact: string, cacheFolder: string, limits = '') {
      const script = new URL('fetch-artifact.mjs', import.meta.url).pathname;
      const run = `${limits} exec "$0" "$@"`;
      const args = ['-c', run, process.execPath, script, nats.url, artifact, cacheFolder];
      return spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    }

    test.skipIf(process.platform === 'win32')('a full disk', async () => {
      const cacheFolder = newCache();
      // The system rejects writes beyond 64 blocks of 512 bytes, as a full disk does.
      const child = fetchInChild(firstId, cacheFolder, "trap '' XFSZ; ulimit -f 64;");
      expect(await text(child.stdout)).toBe('ERR_NATS_CACHE\n');
      expect(readdirSync(cacheFolder)).toEqual([]);
    });

    test('a replica that is killed while it fetches', async () => {
      const missing = sha256Of(Buffer.from('never'));
      const recipe = JSON.parse((await bucket.getBlob(firstId))!.toString()) as { bytes: number; parts: unknown[] };
      const endless = Buffer.from(
        JSON.stringify({ ...recipe, bytes: recipe.bytes + 5, parts: [...recipe.parts, [missing, 5]] }),
      );
      const digest = `SHA-256=${Buffer.from(missing, 'hex').toString('base64url')}=`;
      const info = { name: missing, bucket: 'brezel-artifacts', nuid: 'none', size: 5, chunks: 1, digest };
      const name = Buffer.from(missing).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
      await jetstream(connection).publish(`$O.brezel-artifacts.M.${name}`, JSON.stringify(info));
      await bucket.putBlob({ name: sha256Of(endless) }, endless);

      const cacheFolder = newCache();
      const child = fetchInChild(sha256Of(endless), cacheFolder);
      await until(() => existsSync(cacheFolder) && readdirSync(cacheFolder).length > 0);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const [temporary] = readdirSync(cacheFolder);
      expect(temporary).toMatch(/\.tmp$/);

      await using artifacts = await open({ cacheFolder });
      expect(readFileSync(await artifacts.fetch(firstId)).equals(readFileSync(first.path))).toBe(true);
      expect(readdirSync(cacheFolder)).toContain(temporary);
      utimesSync(join(cacheFolder, temporary!), 1, 1);
      await artifacts.fetch(firstId);
      expect(readdirSync(cacheFolder).sort()).toEqual([`${firstId}.brezel`, `${firstId}.json`]);
    });
  });

  test('NATS is away: an error, and later the file', async () => {
    const storage = join(folder, 'away');
    const own = await startNats(0, ['-js', '-sd', storage]);
    await using pusher = await openArtifacts({ servers: own.url, cacheFolder: newCache() });
    const { artifact } = await pusher.push(first.path);
    await using artifacts = await openArtifacts({ servers: own.url, cacheFolder: newCache(), stallMs: 1000 });
    await own.kill();
    expect((await errorOf(artifacts.fetch(artifact))).code).toBe('ERR_NATS_STORE');
    expect((await errorOf(artifacts.push(second.path))).code).toBe('ERR_NATS_STORE');
    const again = await startNats(own.port, ['-js', '-sd', storage]);
    let path: string | undefined;
    // Fails until the client has connected again.
    await until(async () => {
      path = await artifacts.fetch(artifact).catch(() => undefined);
      return path !== undefined;
    });
    expect(readFileSync(path!).equals(readFileSync(first.path))).toBe(true);
    await again.kill();
  });

  test('a server without JetStream, and a bucket that is missing', async () => {
    const plain = await startNats();
    await using artifacts = await openArtifacts({ servers: plain.url, cacheFolder: newCache() });
    for (const call of [artifacts.fetch(firstId), artifacts.push(first.path)])
      expect((await errorOf(call)).code).toBe('ERR_NATS_STORE');
    await plain.kill();
    await using empty = await open({ bucket: 'missing' });
    expect((await errorOf(empty.fetch(firstId))).code).toBe('ERR_NATS_STORE');
  });

  test('trusted keys', async () => {
    const [trusted, unknown] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
    const signed = await pack(join(folder, 'signed.brezel'), { m0: member(0) }, { sign: trusted.privateKey });
    const registry = await createRegistry();
    await using artifacts = await open({ store: registry.store, trustedKeys: [trusted.publicKey] });
    const { artifact } = await artifacts.push(signed.path);
    expect((await errorOf(artifacts.push(first.path))).code).toBe('ERR_FLEET_SIGNATURE');
    registry.add('signed', artifacts.source(artifact, 'm0'));
    registry.add('unsigned', artifacts.source(firstId, 'm0'));
    await registry.load('signed');
    await expect(registry.load('unsigned')).rejects.toMatchObject({
      code: 'ERR_REGISTRY_LOAD',
      cause: { code: 'ERR_FLEET_SIGNATURE' },
    });
    await using other = await open({ store: registry.store, trustedKeys: [unknown.publicKey] });
    registry.add('other', other.source(artifact, 'm0'));
    await expect(registry.load('other')).rejects.toMatchObject({ cause: { code: 'ERR_FLEET_SIGNATURE' } });
    await registry.close();
  });

  test('a file that is missing or not a fleet file', async () => {
    await using artifacts = await open();
    expect((await errorOf(artifacts.push(join(folder, 'missing.brezel')))).code).toBe('ERR_STORE_FILE');
    expect((await errorOf(artifacts.push(member(0)))).code).toBe('ERR_STORE_FORMAT');
  });

  test('a closed client, also during a fetch', async () => {
    const artifacts = await open();
    const fetched = artifacts.fetch(firstId).then(
      () => 'fetched',
      (error: { code: string }) => error.code,
    );
    const closed = artifacts.close();
    expect(artifacts.close()).toBe(closed);
    await closed;
    expect(['fetched', 'ERR_NATS_STORE']).toContain(await fetched);
    for (const call of [artifacts.fetch(firstId), artifacts.push(first.path)])
      expect((await errorOf(call)).code).toBe('ERR_NATS_CLOSED');
  });

  test.each([
    [{ cacheBites: 1 }, 'cacheBytes'],
    [{ cacheBytes: 0 }, 'cacheBytes'],
    [{ cacheBytes: Number.NaN }, 'cacheBytes'],
    [{ bucket: 'a b' }, 'bucket'],
    [{ bucket: '' }, 'bucket'],
    [{ store: {} }, 'store'],
    [{ verify: 'no' }, 'verify'],
    [{ stallMs: 0.5 }, 'stallMs'],
    [{ cacheFolder: 7 }, 'cacheFolder'],
  ])('rejects the options %o', async (options, named) => {
    const error = await errorOf(open(options as never));
    expect([error.code, error.message]).toEqual(['ERR_NATS_OPTION', expect.stringContaining(named)]);
  });

  test('a source needs the store of the registry', async () => {
    await using artifacts = await open();
    expect(() => artifacts.source(firstId, 'm0')).toThrow('registry.store');
  });
});
