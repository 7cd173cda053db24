import { readFileSync } from 'node:fs';
import { type ClusterServer, joinCluster } from '@brezel/nats';
import { createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer, type NatsServer, startNats } from '../../nats/test/nats-server.js';
import { brezel, echoModel, model, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

const echo = folder.file('echo.onnx', echoModel());
const TEXTS = Array.from({ length: 700 }, (_, index) => `{"text": "a good film ${index}"}`).join('\n');
/** Values that JSON represents as texts: they must arrive as numbers. */
const ODD = ['{"text": "\\ud800 é", "x": ["-Infinity", -0], "id": "9007199254740993"}', ''].join('\n');

describe.skipIf(!hasNatsServer)('brezel predict nats://HOST:PORT/NAME', () => {
  let nats: NatsServer;
  let registry: ModelRegistry;
  let server: ClusterServer;

  beforeAll(async () => {
    nats = await startNats();
    registry = await createRegistry();
    registry.add('text', model(0), { aliases: ['live'] });
    registry.add('echo', echo);
    server = await joinCluster({ registry, servers: nats.url });
  });
  afterAll(async () => {
    await server?.close();
    await registry?.close();
    await nats?.kill();
  });

  test.each([
    ['many rows', 'text', model(0), TEXTS, []],
    ['a version', 'text@1', model(0), TEXTS, []],
    ['an alias', 'text:live', model(0), '"good"\n"bad"', []],
    ['a call for each row', 'text', model(0), '"good"\n\n"bad"\n', ['--single']],
    ['no rows', 'text', model(0), '', []],
    ['CSV', 'echo', echo, 'text,x[0],x[1],id\ngood,1.5,,7\n"a ""b""",-0,1e-40,-8\n', ['--csv']],
    ['values beyond JSON', 'echo', echo, ODD, []],
    ['the lines of invalid rows', 'text', model(0), '"good"\n7\n{"text": 8}\n"bad"', ['--on-error', 'line']],
  ])('writes the same answers as a local model: %s', async (_, name, path, rows, flags) => {
    const remote = await brezel(['predict', `${nats.url}/${name}`, ...flags], rows);
    const local = await brezel(['predict', path, ...flags], rows);
    expect(remote).toEqual(local);
    expect(remote.out === '').toBe(rows === '');
  });

  test('an invalid row names its line, and the output file stays unchanged', async () => {
    const answers = folder.file('answers.jsonl', 'old');
    const rows = [...TEXTS.split('\n').slice(0, 400), '{"text": 7}', '"good"'].join('\n');
    const ended = await brezel(['predict', `${nats.url}/text`, '--output', answers], rows);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('ERR_CLI_ROW');
    expect(ended.err).toContain('line 401');
    expect(readFileSync(answers, 'utf8')).toBe('old');
  });

  test('several addresses', async () => {
    const addresses = `nats://127.0.0.1:1,127.0.0.1:${nats.port}`;
    expect(await brezel(['predict', `${addresses}/text`], '"good"')).toMatchObject({ code: 0, err: '' });
  });

  test('an unknown model', async () => {
    const ended = await brezel(['predict', `${nats.url}/unknown`], '"good"');
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('ERR_NATS_NO_SERVER');
    expect(ended.err).toContain('"unknown"');
  });

  test('an unknown version', async () => {
    const ended = await brezel(['predict', `${nats.url}/text@7`], '"good"');
    expect(ended.err).toContain('ERR_REGISTRY_UNKNOWN');
  });
});

test.each([
  [['--engine', 'batch'], '--engine with a model on NATS'],
  [['--contributions'], '--contributions with a model on NATS'],
  [['--missing', 'accept'], '--missing with a model on NATS'],
  [['--extra-fields', 'ignore'], '--extra-fields with a model on NATS'],
  [['--black-box', 'allow'], '--black-box with a model on NATS'],
  [['--allow-non-finite'], '--allow-non-finite with a model on NATS'],
  [['--repair-ngrams'], '--repair-ngrams with a model on NATS'],
  [['--limit', 'nodes=5'], '--limit with a model on NATS'],
  [['--shape', 'x=N,3'], '--shape with a model on NATS'],
])('rejects flags of local models: %j', async (flags, received) => {
  const ended = await brezel(['predict', 'nats://127.0.0.1:1/text', ...flags]);
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toContain(received);
});

test.each([
  ['nats://127.0.0.1:4222', 2, 'the name of a model: nats://HOST:PORT/NAME'],
  ['nats://127.0.0.1:4222/', 2, 'the name of a model'],
  ['tls:///text', 1, 'ERR_NATS_SERVER_URL'],
  ['nats://user:hunter2@127.0.0.1:4222/text', 1, 'an address without credentials'],
  ['nats://127.0.0.1:1/text', 1, 'ERR_NATS_CONNECTION'],
])('rejects %s', async (address, code, message) => {
  const ended = await brezel(['predict', address]);
  expect(ended).toMatchObject({ code, out: '' });
  expect(ended.err).toContain(message);
  expect(ended.err).not.toContain('hunter2');
});
