import { readFileSync } from 'node:fs';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createRegistry, type ModelRegistry, type Row } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addModel, echoModel } from '../../http/test/models.js';
import { type ClusterServer, connectFleet, type Fleet, joinCluster } from '../dist/index.js';
import { errorOf } from './errors.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

const root = new URL('../../../', import.meta.url);
const own = (name: string) => `packages/brezel/test/corpus/own/${name}/model.onnx`;

/** Models with texts, numbers, integers, several outputs and a map. */
const MODELS: readonly [name: string, file: string, rows: readonly Row[]][] = [
  ['text', 'examples/models/sa-fam-a-00.onnx', ['A good film', 'a bad ending \u{1f3ac}', '', '\ud83d half']],
  ['gnb', own('num-iris-gnb'), [[5, 3.5, 1.25, 0.5], { X: Float32Array.of(1, 2, 3, 4) }, [0.1, -0, 1e-40, 3e38]]],
  [
    'zipmap',
    own('num-iris-logreg-zipmap-strings'),
    [
      [5, 3.5, 1.25, 0.5],
      [6, 3, 5, 2],
    ],
  ],
  ['kmeans', own('num-iris-kmeans'), [[5, 3.5, 1.25, 0.5], Float64Array.of(1, 2, 3, 4) as never]],
  ['case', own('syn-text-case'), ['A Good', 'naïve ending', '\0\u2028']],
];

/** Rows whose values must arrive with the same bits. */
const EXACT: readonly Row[] = [
  { text: '\u0000 \u{10ffff} é', f32: [Math.fround(0.1), -0], f64: [1 / 3], i64: 2n ** 63n - 1n, flag: [true, false] },
  { text: '__proto__', f32: Float32Array.of(3.4e38, 1e-45), f64: [5e-324], i64: -(2n ** 63n), flag: [false, true] },
  { text: '', f32: [0, 1], f64: [Number.MAX_VALUE], i64: 2 ** 53 - 1, flag: [true, true] },
];

describe.skipIf(!hasNatsServer)('a fleet', () => {
  let nats: NatsServer;
  let registry: ModelRegistry;
  let server: ClusterServer;
  let fleet: Fleet;

  beforeAll(async () => {
    nats = await startNats();
    registry = await createRegistry();
    for (const [name, file] of MODELS) registry.add(name, new URL(file, root).pathname);
    addModel(registry, 'echo', echoModel('text', 'f32', 'f64', 'i64', 'flag'));
    server = await joinCluster({ registry, servers: nats.url, name: 'first' });
    fleet = await connectFleet({ servers: nats.url });
  });
  afterAll(async () => {
    await fleet?.close();
    await server?.close();
    await registry?.close();
    await nats?.kill();
  });

  test.each(MODELS)('answers as the registry: %s', async (name, _, rows) => {
    for (const row of rows) expect(await fleet.predict(name, row)).toStrictEqual(await registry.predict(name, row));
    expect(await fleet.predictBatch(name, rows)).toStrictEqual(await registry.predictBatch(name, rows));
  });

  test('answers with the same bits', async () => {
    const answers = await fleet.predictBatch('echo', EXACT);
    expect(answers).toStrictEqual(await registry.predictBatch('echo', EXACT));
    expect(answers[0]!.I64).toBe(2n ** 63n - 1n);
    expect((answers[0]!.F32 as number[])[1]).toBe(-0);
    const odd = {
      ...(EXACT[2] as object),
      f32: [Number.NaN, Number.POSITIVE_INFINITY],
      f64: [Number.NEGATIVE_INFINITY],
    };
    const here = registry.predict('echo', odd).catch((error) => error.code);
    expect(await fleet.predict('echo', odd).catch((error) => error.code)).toStrictEqual(await here);
  });

  test('predictStream answers rows in order, and reports the row of an error', async () => {
    const rows = Array.from({ length: 700 }, (_, index) => `a film ${index}`);
    const collect = async (all: Iterable<Row>, options = {}) => {
      const answers: unknown[] = [];
      for await (const answer of fleet.predictStream('text', all, options)) answers.push(answer);
      return answers;
    };
    expect(await collect(rows)).toStrictEqual(await registry.predictBatch('text', rows));
    expect(await collect([])).toEqual([]);
    const error = await errorOf(collect(rows.with(600, 7 as never)));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details: { row: 600 } });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(collect(rows, { signal })).rejects.toThrow('enough');
  });

  test('a registry of the client answers its models, and servers answer the others', async () => {
    await using local = await createRegistry();
    local.add('text', new URL(MODELS[0]![1], root).pathname);
    await using near = await connectFleet({ servers: nats.url, registry: local });
    const [name, , [row]] = MODELS[0]!;
    expect(await near.predict(name, row!)).toStrictEqual(await registry.predict(name, row!));
    expect(await near.predictBatch(name, [row!])).toStrictEqual(await registry.predictBatch(name, [row!]));
    expect(await near.describe(name)).toEqual(await fleet.describe(name));
    for await (const answer of near.predictStream(name, [row!]))
      expect(answer).toStrictEqual(await registry.predict(name, row!));
    expect(near.stats().requests).toBe(0);
    await near.predict('gnb', MODELS[1]![2][0]!);
    expect(near.stats().requests).toBe(1);
  });

  test('answers batches of any size in order', async () => {
    const rows = Array.from({ length: 1100 }, (_, index) => `a film ${index} ${'good '.repeat(index % 5)}`);
    for (const count of [0, 1, 256, 257, 1100]) {
      const part = rows.slice(0, count);
      expect(await fleet.predictBatch('text', part)).toStrictEqual(await registry.predictBatch('text', part));
    }
  });

  test('splits a batch whose rows or answers exceed a message', async () => {
    const long = 'x'.repeat(300_000);
    const rows = Array.from({ length: 9 }, (_, index) => ({ ...(EXACT[0] as object), text: `${index}${long}` }));
    expect(await fleet.predictBatch('echo', rows)).toStrictEqual(await registry.predictBatch('echo', rows));
    const { code, statusCode } = await errorOf(fleet.predict('echo', { ...rows[0]!, text: 'x'.repeat(2_000_000) }));
    expect([code, statusCode]).toEqual(['ERR_NATS_TOO_LARGE', 413]);
  });

  test('reads the rows of a batch before the call returns', async () => {
    const rows: string[] = Array.from({ length: 600 }, (_, index) => `a good film ${index}`);
    const expected = await registry.predictBatch('text', rows);
    const answers = fleet.predictBatch('text', rows);
    rows.fill('changed');
    expect(await answers).toStrictEqual(expected);
  });

  const many = Array.from({ length: 700 }, () => 'good');
  test.each<[string, (predict: Pick<Fleet, 'predict' | 'predictBatch'>) => Promise<unknown>]>([
    ['a row of another type', (target) => target.predict('text', 7 as never)],
    ['a row without its input', (target) => target.predict('gnb', {})],
    ['too few numbers', (target) => target.predict('gnb', [1, 2])],
    ['an extra field', (target) => target.predict('gnb', { X: [1, 2, 3, 4], y: 1 })],
    ['a row of a batch', (target) => target.predictBatch('gnb', [[1, 2, 3, 4], [1]])],
    ['a hole in a batch', (target) => target.predictBatch('gnb', [[1, 2, 3, 4], undefined as never])],
    ['a row of a later message', (target) => target.predictBatch('text', many.with(650, 3 as never) as never)],
    ['two rows', (target) => target.predictBatch('text', many.with(600, 3 as never).with(300, 4 as never))],
    ['no list', (target) => target.predictBatch('gnb', 'ab' as never)],
    ['an unknown version', (target) => target.predict('text@7', 'x')],
    ['an unknown alias', (target) => target.predict('text:live', 'x')],
    ['an empty reference', (target) => target.predict('', 'x')],
    ['an invalid reference', (target) => target.predict('a@b@c', 'x')],
    ['a reference that is not a text', (target) => target.predict(null as never, 'x')],
    ['a reference that is too long', (target) => target.predict('x'.repeat(600), 'x')],
  ])('throws the error of the registry: %s', async (_, call) => {
    expect(await errorOf(call(fleet))).toStrictEqual(await errorOf(call(registry)));
  });

  test.each(MODELS)('describes the inputs and outputs of a model: %s', async (name) => {
    const { version, inputs, outputs } = await registry.load(name);
    const described = await fleet.describe(name);
    expect(described.version).toBe(version);
    expect(described.inputs).toStrictEqual(inputs);
    const ports = outputs.map(({ name: output, type }) => ({ name: output, type }));
    expect(described.outputs).toStrictEqual(ports);
  });

  test('describes a model that is not loaded, and throws the errors of the registry', async () => {
    addModel(registry, 'loaded-later', echoModel('text', 'f64'));
    await server.synchronized();
    expect((await fleet.describe('loaded-later')).inputs.map(({ name }) => name)).toEqual(['text', 'f64']);
    await registry.remove('loaded-later');
    await expect(fleet.describe('text@7')).rejects.toMatchObject({ code: 'ERR_REGISTRY_UNKNOWN' });
    await expect(fleet.describe('unknown')).rejects.toMatchObject({ code: 'ERR_NATS_NO_SERVER' });
    await expect(fleet.describe('text', { kye: 'x' } as never)).rejects.toMatchObject({ code: 'ERR_NATS_OPTION' });
  });

  test('rejects an unknown model at once', async () => {
    const error = await errorOf(fleet.predict('unknown', 'x'));
    expect(error).toMatchObject({ name: 'NatsError', code: 'ERR_NATS_NO_SERVER', statusCode: 503 });
    expect(error.message).toContain('"unknown"');
  });

  test('rejects values that cannot be sent', async () => {
    for (const row of [{ X: () => 1 }, { X: new Date() }, { X: Symbol('x') }])
      expect((await errorOf(fleet.predict('gnb', row))).code).toBe('ERR_NATS_VALUE');
    const getter = {
      get X() {
        throw new Error('broken getter');
      },
    };
    expect(await errorOf(fleet.predict('gnb', getter))).toMatchObject({ code: 'ERR_NATS_VALUE', details: {} });
  });

  test.each([
    [{ deadlineMs: 0 }, 'deadlineMs'],
    [{ deadlineMs: Number.NaN }, 'deadlineMs'],
    [{ signal: {} }, 'signal'],
    [{ key: {} }, 'key'],
    [{ keey: 'x' }, '"key"'],
  ])('rejects the options %o', async (options, named) => {
    const error = await errorOf(fleet.predict('text', 'x', options as never));
    expect([error.code, error.message]).toEqual(['ERR_NATS_OPTION', expect.stringContaining(named)]);
  });

  test.each(['a.b', 'a b', '*', '>', '$SYS', 'é \u{1f3ac}', '\ud800', '\ufffd', '=0041', 'A', '../x', '__proto__'])(
    'serves a model with the name %j',
    async (name) => {
      addModel(registry, name, readFileSync(new URL(own('syn-text-case'), root)));
      await server.synchronized();
      expect(await fleet.predict(name, 'A Good')).toStrictEqual(await registry.predict('case', 'A Good'));
      await registry.remove(name);
      await server.synchronized();
      expect(server.stats().models).not.toContain(name);
    },
  );

  test('an answered model that is removed has no server', async () => {
    addModel(registry, 'short', echoModel('f64'));
    await server.synchronized();
    await using other = await connectFleet({ servers: nats.url });
    await registry.remove('short');
    await server.synchronized();
    expect((await errorOf(other.predict('short', [1]))).code).toBe('ERR_NATS_NO_SERVER');
  });

  test('the key of a call selects the version of a canary', async () => {
    const model = readFileSync(new URL(own('syn-text-case'), root));
    for (const version of [1, 2]) addModel(registry, 'split', model, version);
    registry.canary('split', { to: 2, percent: 50 });
    await server.synchronized();
    const keys = Array.from({ length: 40 }, (_, index) => `user ${index}`);
    const requests = () => registry.stats().versions.filter(({ version }) => version.startsWith('split@'));
    const expected = keys.map((key) => registry.resolve('split', { key }));
    for (const key of keys) await fleet.predict('split', 'x', { key });
    const counts = requests().map(({ version, requests: count }) => [version, count]);
    const inCanary = expected.filter((version) => version === 'split@2').length;
    expect(counts).toEqual([
      ['split@1', 40 - inCanary],
      ['split@2', inCanary],
    ]);
    expect(inCanary).toBeGreaterThan(5);
    expect(inCanary).toBeLessThan(35);
    const rows = Array.from({ length: 1000 }, () => 'x');
    for (let call = 0; call < 4; call++) {
      const before = requests().map(({ requests: count }) => count);
      await fleet.predictBatch('split', rows);
      const changed = requests().filter(({ requests: count }, index) => count !== before[index]);
      expect(changed.length).toBe(1); // all parts of a batch use one version
    }
  });

  test('a closed client rejects calls', async () => {
    const other = await connectFleet({ servers: nats.url });
    const last = other.predict('text', 'x');
    const closed = other.close();
    expect(other.close()).toBe(closed);
    expect(await last).toStrictEqual(await registry.predict('text', 'x'));
    await closed;
    expect((await errorOf(other.predict('text', 'x'))).code).toBe('ERR_NATS_CLOSED');
  });

  test('a connection of the caller stays open', async () => {
    const connection: NatsConnection = await connect({ servers: nats.url });
    const other = await connectFleet({ connection });
    const joined = await joinCluster({ registry, connection });
    expect(await other.predict('text', 'x')).toStrictEqual(await registry.predict('text', 'x'));
    await other.close();
    await joined.close();
    expect(connection.isClosed()).toBe(false);
    await connection.close();
  });
});
