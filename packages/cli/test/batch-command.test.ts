import { readFileSync } from 'node:fs';
import { joinCluster } from '@brezel/nats';
import { createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer, type NatsServer, startNats } from '../../nats/test/nats-server.js';
import { brezel, regressorModel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

describe.skipIf(!hasNatsServer)('brezel batch', () => {
  let nats: NatsServer;
  let registry: ModelRegistry;
  let close: () => Promise<void>;
  let rows: string;
  let expected: string;

  beforeAll(async () => {
    nats = await startNats(0, ['-js', '-sd', folder.path('jetstream')]);
    const model = folder.file('one.onnx', regressorModel([2, 1]));
    registry = await createRegistry();
    registry.add('one', model);
    const server = await joinCluster({ registry, servers: nats.url });
    close = () => server.close();
    rows = folder.file('rows.jsonl', Array.from({ length: 700 }, (_, row) => `[${row}, 1]\n`).join(''));
    expected = (await brezel(['predict', model, '--input', rows])).out;
  });
  afterAll(async () => {
    await close?.();
    await registry?.close();
    await nats?.kill();
  });

  const run = (...args: readonly string[]) => brezel(['batch', ...args, '--servers', nats.url]);

  test('submit writes the answers that predict writes', async () => {
    const output = folder.path('answers.jsonl');
    const ended = await run('submit', rows, '--model', 'one', '--output', output, '--id', 'night');
    expect(ended).toMatchObject({ code: 0, out: '' });
    expect(ended.err).toContain('batch night: 700 rows in 3 chunks\n');
    expect(readFileSync(output, 'utf8')).toBe(expected);
    expect((await run('list')).out).toBe('no batches\n');
  });

  test('answers writes the answers of a batch that was submitted before', async () => {
    expect(await run('submit', rows, '--model', 'one', '--id', 'early', '--no-wait')).toMatchObject({ code: 0 });
    expect(await run('answers', 'early', '--keep')).toEqual({ code: 0, out: expected, err: '' });
    expect((await run('status', 'early')).out).toMatch(/early +one@1 +answered +700 +3 +3\n$/);
    const [listed] = JSON.parse((await run('list', '--json')).out) as object[];
    expect(listed).toMatchObject({ id: 'early', state: 'answered' });
    const again = await run('submit', rows, '--model', 'one', '--id', 'early');
    expect(again).toMatchObject({ code: 0, out: expected });
    expect((await run('cancel', 'early')).code).toBe(1);
  });

  test.each(['[1, 1]\n\n[1]\n', '[1, 1]\n\n{\n'])('a file with an invalid row leaves no batch: %j', async (text) => {
    const invalid = folder.file('invalid.jsonl', text);
    const ended = await run('submit', invalid, '--model', 'one');
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('line 3');
    expect((await run('list')).out).toBe('no batches\n');
  });

  test.each([
    [['submit', 'rows.jsonl'], 2, '--model'],
    [['status', 'a.b'], 2, 'Write 1 to 64 letters'],
    [['status', 'unknown'], 1, 'ERR_NATS_BATCH'],
    [['answers', 'unknown'], 1, 'ERR_NATS_BATCH'],
    [['submit', 'missing.jsonl', '--model', 'one'], 1, 'ERR_CLI_FILE'],
    [['submit', 'rows.jsonl', '--model', 'other'], 1, 'ERR_NATS_NO_SERVER'],
  ])('rejects %j', async (args, code, message) => {
    const ended = await run(...args);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(message);
  });
});
