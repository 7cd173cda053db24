import { generateKeyPairSync } from 'node:crypto';
import { connectFleet } from '@brezel/nats';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { hasNatsServer, type NatsServer, startNats } from '../../nats/test/nats-server.js';
import { brezel, regressorModel, temporaryFolder } from './brezel.js';
import { killServers, serve } from './spawn-server.js';

const folder = temporaryFolder();
afterAll(folder.remove);
afterEach(killServers);

describe.skipIf(!hasNatsServer)('brezel fleet', () => {
  let nats: NatsServer;
  const fleets: string[] = [];

  beforeAll(async () => {
    process.env.XDG_CACHE_HOME = folder.path('cache');
    nats = await startNats(0, ['-js', '-sd', folder.path('jetstream')]);
    for (const factor of [1, 2]) {
      const model = folder.file(`model-${factor}.onnx`, regressorModel([factor, 0]));
      fleets.push(folder.path(`${factor}.brezel`));
      expect(await brezel(['pack', `one=${model}`, '-o', fleets.at(-1)!])).toMatchObject({ code: 0 });
    }
  });
  afterAll(async () => {
    delete process.env.XDG_CACHE_HOME;
    await nats?.kill();
  });

  const run = (...args: readonly string[]) => brezel(['fleet', args[0]!, nats.url, ...args.slice(1)]);

  test('changes the models of servers that follow the catalog', async () => {
    expect(await run('list')).toEqual({ code: 0, out: 'the catalog has no models\n', err: '' });
    expect((await run('push', fleets[0]!)).out).toMatch(/^one@1\nsent .* of .*\n$/);
    const server = await serve('--join', nats.url, '--catalog');
    const fleet = await connectFleet({ servers: nats.url });
    const answer = async () => (await fleet.predict('one', { x: [3, 5] })).y;
    expect(await answer()).toEqual([3]);
    expect((await run('push', fleets[1]!, '--as', 'next')).out).toContain('one@next');
    expect(await answer()).toEqual([3]);
    expect(await run('canary', 'one', 'next', '--percent', '10')).toMatchObject({
      code: 0,
      out: 'one: default -> 1 (10 % to next)\n',
    });
    expect((await run('list')).out).toBe(
      '  model  versions  aliases\n  one    1, next   default -> 1 (10 % to next)\n',
    );
    const [listed] = JSON.parse((await run('list', '--json')).out) as { versions: unknown[] }[];
    expect(listed!.versions.length).toBe(2);
    expect((await run('promote', 'one', 'next')).out).toBe('one: default -> next\n');
    await until(async () => (await answer())?.toString() === '6');
    expect((await run('rollback', 'one')).out).toContain('10 % to next');
    expect((await run('rollback', 'one')).out).toBe('one: default -> 1\n');
    await until(async () => (await answer())?.toString() === '3');
    expect(await run('remove', 'one@next')).toEqual({ code: 0, out: '', err: '' });
    expect((await server.stop()).code).toBe(0);
    await fleet.close();
  });

  test('places models on servers with --memory, and explains it', async () => {
    await run('push', fleets[0]!);
    expect((await run('placement')).out).toContain('no server places models');
    const flags = ['--join', nats.url, '--catalog', '--memory', '3gb', '--name'];
    const servers = [await serve(...flags, 'r1'), await serve(...flags, 'r2')];
    expect((await run('scale', 'one', '2')).out).toBe('one: default -> 1, 2 replicas\n');
    const isPlaced = async () => {
      const { models } = JSON.parse((await run('placement', 'one', '--json')).out) as {
        models: { answeredBy: string[] }[];
      };
      return models[0]!.answeredBy.length === 2;
    };
    await until(isPlaced);
    const { out } = await brezel(['explain', 'placement', nats.url, 'one']);
    expect(out).toMatch(/server +models +answers +parameters +memory/);
    expect(out).toMatch(/one: r[12], r[12]\n {2}shares no large parameter.*\n {2}2 replicas/);
    expect((await run('scale', 'one', '1')).out).toBe('one: default -> 1, 1 replica\n');
    for (const server of servers) expect((await server.stop()).code).toBe(0);
  });

  test('a server with --catalog-key rejects unsigned files', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const key = folder.file('key.pem', publicKey.export({ type: 'spki', format: 'pem' }) as string);
    await run('push', fleets[0]!);
    const server = await serve('--join', nats.url, '--catalog', '--catalog-key', key);
    const fleet = await connectFleet({ servers: nats.url });
    await expect(fleet.predict('one', { x: [3, 5] })).rejects.toMatchObject({ code: 'ERR_NATS_NO_SERVER' });
    const { code, err } = await server.stop();
    expect([code, err]).toEqual([0, expect.stringContaining('ERR_FLEET_SIGNATURE')]);
    await fleet.close();
  });

  test.each([
    [['promote', 'other', '1'], 1, 'ERR_NATS_CATALOG'],
    [['promote', 'one', '9'], 1, 'a version of one'],
    [['canary', 'one', '1', '--percent', 'x'], 2, 'Write a number from 0 to 100'],
    [['canary', 'one', '1'], 2, '--percent'],
    [['rollback', 'one:other'], 1, 'an alias of the model'],
    [['remove', 'one@1'], 1, 'a version that no alias uses'],
    [['push', 'missing.brezel'], 1, 'ERR_STORE_FILE'],
    [['push'], 2, 'missing required argument'],
    [['scale', 'one', '0'], 2, 'Write an integer from 1 to 1000'],
    [['scale', 'other', '2'], 1, 'a model of the catalog'],
    [['placement', 'other'], 2, 'a model of the catalog'],
    [['grow', 'one', '3'], 2, 'unknown command'],
  ])('rejects %j', async (args, code, message) => {
    await run('push', fleets[0]!);
    const ended = await run(...args);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(message);
  });
});

test.each([
  [['--catalog'], '--catalog without --join'],
  [['--memory', '1gb'], '--memory without --catalog'],
  [['--catalog-key', 'x'], '--catalog-key without --catalog'],
  [['--catalog', '--join', 'nats://127.0.0.1:1', '--processes', '2'], '--catalog with --processes'],
  [[], 'no models'],
])('brezel serve rejects %j', async (flags, message) => {
  const ended = await brezel(['serve', ...flags]);
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toContain(message);
});

test('an address with credentials is rejected, and not shown', async () => {
  const ended = await brezel(['fleet', 'list', 'nats://user:hunter2@127.0.0.1:4222']);
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain('an address without credentials');
  expect(ended.err).not.toContain('hunter2');
});
