import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type Answer, createRegistry, type ModelRegistry, type Row } from 'brezel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { addModel, linearModel } from '../../http/test/models.js';
import { type Batches, type ClusterServer, joinCluster, openBatches } from '../dist/index.js';
import { errorOf } from './errors.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-batches-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Rows whose answers differ. */
const rows = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ x: [index, 1] }));

describe.skipIf(!hasNatsServer)('offline batches', () => {
  let nats: NatsServer;
  let batches: Batches;
  let registry: ModelRegistry;
  let model: string;
  let count = 0;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    nats = await startNats(0, ['-js', '-sd', join(folder, 'jetstream')]);
  });
  afterAll(() => nats?.kill());
  beforeEach(async () => {
    model = `m${++count}`;
    batches = await openBatches({ servers: nats.url });
    registry = await createRegistry();
    addModel(registry, model, linearModel([1, 2], 3));
    closing.push(
      () => batches.close(),
      () => registry.close(),
    );
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Starts a server on its own connection. */
  async function start(): Promise<ClusterServer & { crash(): Promise<void> }> {
    const connection = await connect({ servers: nats.url });
    const server = await joinCluster({ registry, connection, logError: () => {} });
    const close = () => server.close().then(() => connection.close());
    closing.push(close);
    return Object.assign(server, { crash: () => connection.close() });
  }

  async function answersOf(id: string): Promise<Answer[]> {
    const all: Answer[] = [];
    for await (const answers of batches.answers(id)) all.push(...answers);
    return all;
  }
  const expected = (count: number) => registry.predictBatch(model, rows(count));

  test('each row is answered once, in order', async () => {
    await start();
    const seen: number[] = [];
    const batch = await batches.submit(model, rows(1000), { id: 'ordered', onProgress: (done) => seen.push(done) });
    expect(batch).toMatchObject({ id: 'ordered', version: `${model}@1`, rows: 1000, chunks: 4 });
    expect(seen).toEqual([256, 512, 768, 1000]);
    expect(await answersOf('ordered')).toEqual(await expected(1000));
    expect(await answersOf('ordered')).toEqual(await expected(1000));
    expect(await batches.status('ordered')).toMatchObject({ state: 'answered', answeredChunks: 4 });
    await batches.remove('ordered');
    expect((await errorOf(batches.status('ordered'))).code).toBe('ERR_NATS_BATCH');
  });

  test('an empty batch has no answers', async () => {
    await start();
    expect(await batches.submit(model, [], { id: 'empty' })).toMatchObject({ rows: 0, chunks: 0, state: 'answered' });
    expect(await answersOf('empty')).toEqual([]);
  });

  test('a server that starts later answers the chunks that wait', async () => {
    const first = await start();
    const some = async function* () {
      yield* rows(256);
      await first.crash();
      yield* rows(600).slice(256);
    };
    await batches.submit(model, some(), { id: 'later' });
    const reading = answersOf('later');
    await start();
    expect(await reading).toEqual(await expected(600));
  });

  test('a batch that was submitted in part continues with the same rows', async () => {
    await start();
    const broken = async function* () {
      yield* rows(300);
      throw new Error('the file ends');
    };
    await expect(batches.submit(model, broken(), { id: 'again' })).rejects.toThrow('the file ends');
    expect(await batches.status('again')).toMatchObject({ state: 'submitting' });
    await until(async () => (await batches.status('again')).answeredChunks === 1);
    expect(await batches.submit(model, rows(600), { id: 'again' })).toMatchObject({ rows: 600, chunks: 3 });
    expect(await answersOf('again')).toEqual(await expected(600));
    const other = rows(600).with(3, { x: [7, 7] });
    for (const changed of [other, rows(599), rows(601)])
      expect((await errorOf(batches.submit(model, changed, { id: 'again' }))).code).toBe('ERR_NATS_BATCH');
  });

  test('an invalid row is reported with its index in the batch', async () => {
    await start();
    await batches.submit(model, rows(600).with(300, { x: 'text' as never }), { id: 'invalid' });
    const error = await errorOf(answersOf('invalid'));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details: { row: 300 } });
  });

  test('a cancelled batch ends its readers and cannot be used again', async () => {
    await start();
    const endless = async function* () {
      yield* rows(256);
      await new Promise(() => {});
    };
    void batches.submit(model, endless(), { id: 'cancelled' }).catch(() => {});
    await until(async () => (await batches.list()).some(({ id }) => id === 'cancelled'));
    const reading = errorOf(answersOf('cancelled'));
    await batches.cancel('cancelled');
    expect((await reading).code).toBe('ERR_NATS_BATCH');
    expect(await batches.status('cancelled')).toMatchObject({ state: 'cancelled' });
    expect((await errorOf(batches.submit(model, rows(1), { id: 'cancelled' }))).code).toBe('ERR_NATS_BATCH');
    await batches.remove('cancelled');
  });

  test('a late answer to a removed batch is no answer of a new batch with its id', async () => {
    const first = await start();
    const unanswered = async function* () {
      await first.crash();
      yield* rows(1);
    };
    await batches.submit(model, unanswered(), { id: 'reused' });
    const connection = await connect({ servers: nats.url });
    closing.push(() => connection.close());
    const { streams } = await jetstreamManager(connection);
    const chunk = await streams.getMessage('brezel-batch-rows', { last_by_subj: 'brezel.v1.batch-rows.>' });
    await batches.remove('reused');
    const [key, index] = chunk!.subject.split('.').slice(-2);
    await jetstream(connection).publish(`brezel.v1.batch-answers.${key}.${index}`, 'late', { headers: chunk!.header });
    await start();
    await batches.submit(model, [{ x: [7, 7] }], { id: 'reused' });
    expect(await answersOf('reused')).toEqual(await registry.predictBatch(model, [{ x: [7, 7] }]));
  });

  test.each(['', 'a.b', 'a*', 'x'.repeat(65)])('rejects the id %j', async (id) => {
    for (const call of [batches.submit(model, [], { id }), batches.status(id), batches.cancel(id), answersOf(id)])
      expect((await errorOf(call)).code).toBe('ERR_NATS_BATCH');
  });

  test('a batch of another model keeps its id', async () => {
    await start();
    await batches.submit(model, rows(1), { id: 'mine' });
    addModel(registry, 'other', linearModel([1, 2], 3));
    expect((await errorOf(batches.submit('other', rows(1), { id: 'mine' }))).code).toBe('ERR_NATS_BATCH');
    for (const call of [batches.cancel('unknown'), answersOf('unknown')])
      expect((await errorOf(call)).code).toBe('ERR_NATS_BATCH');
  });

  test('the signal ends a reader', async () => {
    await start();
    const ended = new AbortController();
    void batches
      .submit(
        model,
        (async function* () {
          yield* rows(1);
          await new Promise(() => {});
        })(),
        { id: 'endless' },
      )
      .catch(() => {});
    await until(async () => (await batches.list()).some(({ id }) => id === 'endless'));
    const reading = (async () => {
      for await (const _ of batches.answers('endless', { signal: ended.signal }));
    })();
    ended.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});

test.skipIf(!hasNatsServer)('without JetStream, batches cannot be opened, and servers work', async () => {
  const nats = await startNats();
  expect((await errorOf(openBatches({ servers: nats.url }))).code).toBe('ERR_NATS_STORE');
  await using registry = await createRegistry();
  addModel(registry, 'm', linearModel([1, 2], 3));
  const errors: unknown[] = [];
  const server = await joinCluster({ registry, servers: nats.url, logError: (error) => errors.push(error) });
  await server.close();
  expect(errors).toEqual([]);
  await nats.kill();
});
