import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFlour, createRegistry, createRuntime, openStore, type Row, scalar, vector } from 'brezel';
import fastify from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { inferenceRoutes, startServer } from '../dist/index.js';
import { checkExplainedRow } from '../src/explained-texts.js';
import { addModel, constantModel, echoModel, linearModel, post, serving } from './models.js';

const { app, registry, close } = await serving(
  (registry) => {
    addModel(registry, 'echo', echoModel('text', 'f32', 'i64'));
    addModel(registry, 'text', echoModel('text'));
    addModel(registry, 'film', constantModel(1), 1);
    addModel(registry, 'film', constantModel(2), 2);
    registry.setAlias('film:next', 2);
  },
  { maxRows: 3 },
);
afterAll(close);

const ndjson = { 'content-type': 'application/x-ndjson' };

/** A forest without the numbers of training rows that reached its nodes. */
const withoutCovers = {
  feature: Int32Array.of(0, 0, 0),
  threshold: Float32Array.of(1, 0, 0),
  mode: Int32Array.of(0, 6, 6),
  trueChild: Int32Array.of(2, 0, 0),
  falseChild: Int32Array.of(1, 0, 0),
  missingTrue: new Int32Array(3),
  roots: Int32Array.of(0),
  leafStart: Int32Array.of(0, 0, 1, 2),
  leafTarget: Int32Array.of(0, 0),
  leafWeight: Float32Array.of(1, 8),
  base: Float32Array.of(0),
};

describe('POST /predict', () => {
  test('answers a row, and names its version', async () => {
    const { status, body, headers } = await post(app, '/predict/film', { x: [1, 2] });
    expect([status, body, headers['x-model-version']]).toEqual([200, { y: [1] }, 'film@1']);
  });

  test('answers a list of rows', async () => {
    expect((await post(app, '/predict/film', [{ x: [1, 2] }, { x: [3, 4] }])).body).toEqual([{ y: [1] }, { y: [1] }]);
    expect((await post(app, '/predict/film', [])).body).toEqual([]);
  });

  test('a text is a row of a model with one text', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await post(app, '/predict/text', '"hello"', headers)).body).toEqual({ TEXT: 'hello' });
    expect((await post(app, '/predict/text', ['a', { text: 'b' }])).body).toEqual([{ TEXT: 'a' }, { TEXT: 'b' }]);
  });

  test('reads and writes values that JSON cannot represent', async () => {
    const row = { text: '', f32: ['NaN', '-Infinity'], i64: '9223372036854774784' };
    const { payload } = await app.inject({ method: 'POST', url: '/predict/echo', payload: row });
    expect(payload).toBe('{"TEXT":"","F32":["NaN","-Infinity"],"I64":9223372036854774784}');
  });

  test('explains answers with contributions in the query', async () => {
    using flour = await createFlour({ store: registry.store });
    const score = flour.input('x', vector('float32', 2)).logistic({ weights: [1, -2], bias: 0.5 });
    registry.add('score', score.plan());
    const url = '/predict/score?contributions=1';
    const { status, body } = await post(app, url, { x: [3, 1] });
    expect(status).toBe(200);
    const { body: answer } = await post(app, '/predict/score', { x: [3, 1] });
    expect(body.answer).toEqual(answer);
    const x0 = { input: 'x', index: 0, received: 3, value: 3 };
    expect(body.contributions).toMatchObject({ raw: 1.5, base: 0.5, rest: -2, link: 'logit', contributions: [x0] });
    expect((await post(app, url, [{ x: [3, 1] }, { x: [3, 1] }])).body).toEqual([body, body]);
    const payload = '{"x": [3, 1]}\n{"x": [1]}\n';
    const lines = (await app.inject({ method: 'POST', url, headers: ndjson, payload })).payload.trim().split('\n');
    expect(JSON.parse(lines[0]!)).toEqual(body);
    expect(JSON.parse(lines[1]!)).toMatchObject({ code: 'ERR_RUNTIME_INPUT', line: 2 });
    const nan = (await post(app, url, { x: ['NaN', 1] })).body;
    expect(nan.contributions).toMatchObject({ raw: 'NaN', contributions: [{ value: 'NaN' }] });
    for (const count of ['0', '-1', 'many', '1001', '', '1&contributions=2']) {
      const wrong = await post(app, `/predict/score?contributions=${count}`, { x: [3, 1] });
      expect([wrong.status, wrong.body.code]).toEqual([400, 'ERR_HTTP_REQUEST']);
    }
    // An explanation that fails is an error of the request, and not of the model.
    registry.add('forest', flour.input('x', vector('float32', 1)).treeEnsemble(withoutCovers).plan());
    for (let time = 0; time < 6; time++) {
      const failed = await post(app, '/predict/forest?contributions=3', { x: [3] });
      expect([failed.status, failed.body.code]).toEqual([422, 'ERR_EXPLAIN_COVERS']);
    }
    expect((await post(app, '/predict/forest', { x: [3] })).status).toBe(200);
  });

  test('explains at most maxExplainedRows rows of a list, and a stream of any length', async () => {
    const served = await serving((registry) => addModel(registry, 'line', linearModel([1, -2], 0.5)), {
      maxExplainedRows: 40,
    });
    const url = '/predict/line?contributions=2';
    const rows = Array.from({ length: 41 }, (_, index) => ({ x: [index, 1] }));
    const { status, body } = await post(served.app, url, rows);
    expect([status, body.code, body.hint]).toEqual([413, 'ERR_HTTP_ROWS', expect.stringContaining('maxExplainedRows')]);
    expect(body.error).toContain('at most 40 rows with contributions');
    expect((await post(served.app, '/predict/line', rows)).body).toHaveLength(41);
    const list = await post(served.app, url, rows.slice(1));
    expect(list.headers['content-type']).toMatch(/^application\/json/);
    expect(list.body.map(({ answer }: { answer: unknown }) => answer)).toEqual(
      rows.slice(1).map(({ x }) => ({ y: [x[0]! - 1.5] })),
    );
    expect((await post(served.app, url, [])).body).toEqual([]);
    const payload = rows.map((row) => JSON.stringify(row)).join('\n');
    const lines = (await served.app.inject({ method: 'POST', url, headers: ndjson, payload })).payload.trim();
    expect(JSON.parse(`[${lines.split('\n').join(',')}]`).slice(1)).toEqual(list.body);
    await served.close();
  });

  test('explains texts of limited length, and answers longer texts without explanations', async () => {
    using flour = await createFlour({ store: registry.store });
    const words = flour.input('text', scalar('string')).tokenize();
    const plan = words
      .wordNgram({ vocabulary: [['a'], ['b']] })
      .logistic({ weights: [1, -1] })
      .plan();
    registry.add('words', plan);
    const served = await serving(() => undefined, { registry, page: true, maxBodyBytes: 2 ** 24 });
    const url = '/predict/words?contributions=1';
    const [longest, tooLong] = [{ text: 'a '.repeat(2 ** 15) }, { text: 'a '.repeat(2 ** 15 + 1) }];
    const { status, body } = await post(served.app, url, longest);
    expect([status, body.contributions.contributions[0].feature]).toEqual([200, 'a']);
    const refused = { status: 413, body: { code: 'ERR_HTTP_EXPLANATION' } };
    expect(await post(served.app, url, tooLong)).toMatchObject(refused);
    expect(await post(served.app, url, ['short', tooLong])).toMatchObject(refused);
    expect(await post(served.app, url, new Array(17).fill(longest))).toMatchObject(refused);
    expect(await post(served.app, '/page/contributions/words', tooLong)).toMatchObject(refused);
    expect(await post(served.app, '/predict/words', tooLong)).toMatchObject({ status: 200 });
    expect((await post(served.app, '/page/contributions/words', longest)).status).toBe(200);
    const payload = `${JSON.stringify(tooLong)}\n${JSON.stringify({ text: 'a' })}\n`;
    const lines = (await served.app.inject({ method: 'POST', url, headers: ndjson, payload })).payload.split('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({ code: 'ERR_HTTP_EXPLANATION', line: 1 });
    expect(JSON.parse(lines[1]!)).toMatchObject({ answer: {}, contributions: {} });
    // Texts at any depth count, also texts that the model would reject.
    const deep = JSON.parse(`${'['.repeat(50_000)}"${'a'.repeat(2 ** 16 + 1)}"${']'.repeat(50_000)}`);
    expect(() => checkExplainedRow(deep)).toThrow('at most 65536 characters');
    expect(() => checkExplainedRow({ counts: { ['k'.repeat(2 ** 16 + 1)]: 1 } })).toThrow('65537');
    checkExplainedRow({ ['k'.repeat(2 ** 16 + 1)]: 1 });
    checkExplainedRow({ x: new Array(2 ** 17).fill(1) });
    await served.close();
  });

  test('accepts versions, aliases, keys and deadlines', async () => {
    for (const [url, answer] of [
      ['/predict/film@2', 2],
      ['/predict/film:next', 2],
      ['/predict/film?key=user+7&deadline_ms=60000', 1],
    ] as const)
      expect((await post(app, url, { x: [1, 2] })).body).toEqual({ y: [answer] });
    registry.canary('film', { to: 2, percent: 100 });
    expect((await post(app, '/predict/film?key=7', { x: [1, 2] })).headers['x-model-version']).toBe('film@2');
    registry.rollback('film');
  });

  test('loads the model, or reports why it cannot', async () => {
    registry.add('broken', '/secret/place/model.onnx');
    const { status, body } = await post(app, '/predict/broken', { x: [1, 2] });
    expect([status, body.code]).toEqual([503, 'ERR_REGISTRY_LOAD']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  test.each([
    ['an unknown model', '/predict/other', { x: [1, 2] }, 404, 'ERR_REGISTRY_UNKNOWN'],
    ['a removed version', '/predict/film@0', { x: [1, 2] }, 404, 'ERR_REGISTRY_UNKNOWN'],
    ['a malformed reference', '/predict/a@b@c', { x: [1, 2] }, 400, 'ERR_REGISTRY_REFERENCE'],
    ['an extra field', '/predict/film', { x: [1, 2], y: 1 }, 400, 'ERR_RUNTIME_INPUT'],
    ['a missing field', '/predict/film', {}, 400, 'ERR_RUNTIME_INPUT'],
    ['a text as number', '/predict/film', { x: [1, '2'] }, 400, 'ERR_RUNTIME_INPUT'],
    ['too many rows', '/predict/film', Array(4).fill({ x: [1, 2] }), 413, 'ERR_HTTP_ROWS'],
    ['a wrong deadline', '/predict/film?deadline_ms=soon', { x: [1, 2] }, 400, 'ERR_HTTP_REQUEST'],
    ['two keys', '/predict/film?key=1&key=2', { x: [1, 2] }, 400, 'ERR_HTTP_REQUEST'],
  ])('%s', async (_, url, row, status, code) => {
    expect(await post(app, url, row)).toMatchObject({ status, body: { code } });
  });

  test.each([
    ['another content type', 'text/plain', '{"x": [1, 2]}', 415, 'ERR_HTTP_TYPE'],
    ['no JSON', 'application/json', '{"x"', 400, 'ERR_HTTP_JSON'],
    ['a prototype', 'application/json', '{"__proto__": {"x": [1, 2]}}', 400, 'ERR_HTTP_JSON'],
    ['a constructor', 'application/json', '{"constructor": {"prototype": {}}}', 400, 'ERR_HTTP_JSON'],
    ['an escaped prototype', 'application/json', '{"\\u005f_proto__": {"x": [1, 2]}}', 400, 'ERR_HTTP_JSON'],
    ['an empty body', 'application/json', '', 400, 'ERR_HTTP_JSON'],
    ['deep lists', 'application/json', `{"x": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 400, 'ERR_RUNTIME_INPUT'],
    ['a deep list of rows', 'application/json', `${'['.repeat(1e5)}${']'.repeat(1e5)}`, 400, 'ERR_RUNTIME_INPUT'],
    ['a body beyond the limit', 'application/json', `"${'x'.repeat(2 ** 20)}"`, 413, 'ERR_HTTP_BODY'],
  ])('%s', async (_, type, payload, status, code) => {
    const { body, ...response } = await post(app, '/predict/film', payload, { 'content-type': type });
    expect([response.status, body.code]).toEqual([status, code]);
  });

  test('a field of a prototype is missing, or extra', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const row of ['{"toString": 1, "x": [1, 2]}', '{"hasOwnProperty": [1, 2]}'])
      expect((await post(app, '/predict/film', row, headers)).status).toBe(400);
    expect((await post(app, '/predict/film', { x: [1, 2] })).status).toBe(200);
  });
});

describe('a stream of rows', () => {
  const lines = (payload: string) =>
    payload
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('is answered in order, beyond maxRows; blank lines are skipped', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => `{"text": "row ${index}"}`);
    const { payload, headers } = await app.inject({
      method: 'POST',
      url: '/predict/text',
      headers: ndjson,
      payload: `\n${rows.join('\r\n \n')}`,
    });
    expect(headers['content-type']).toContain('application/x-ndjson');
    expect(lines(payload)).toEqual(rows.map((_, index) => ({ TEXT: `row ${index}` })));
  });

  test('the answer to an invalid row is its error', async () => {
    const payload = ['{"x": [1, 2]}', '{"x": [1]}', 'no JSON', '{"x": [3, 4]}'].join('\n');
    const response = await app.inject({ method: 'POST', url: '/predict/film', headers: ndjson, payload });
    expect(lines(response.payload)).toEqual([
      { y: [1] },
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', line: 2 }),
      expect.objectContaining({ code: 'ERR_HTTP_JSON', line: 3 }),
      { y: [1] },
    ]);
  });

  test('a line beyond the body limit ends the stream', async () => {
    const payload = `{"text": "short"}\n"${'x'.repeat(2 ** 20)}"\n"after"\n`;
    const response = await app.inject({ method: 'POST', url: '/predict/text', headers: ndjson, payload });
    expect(lines(response.payload).at(-1)).toMatchObject({ code: 'ERR_HTTP_BODY' });
  });

  test('the log has the error that a line hides', async () => {
    const logged: string[] = [];
    const app = fastify({ logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } } });
    const failing = {
      ...registry,
      on: () => undefined,
      off: () => undefined,
      names: () => [],
      model: () => undefined,
      load: () => undefined,
      unload: () => undefined,
      route: () => ({
        version: 'broken@1',
        description: { inputs: [], outputs: [] },
        async predictBatch(rows: readonly Row[]) {
          if (rows.length > 0) throw new Error('the disk failed');
          return [];
        },
      }),
    };
    app.register(inferenceRoutes, { registry: failing as never, metrics: false });
    const { payload } = await app.inject({ method: 'POST', url: '/predict/broken', headers: ndjson, payload: '{}\n' });
    expect(JSON.parse(payload)).toMatchObject({ code: 'ERR_INTERNAL' });
    expect(payload).not.toContain('disk');
    expect(logged.join('')).toContain('the disk failed');
    const wrong = await app.inject({ method: 'POST', url: '/predict/broken', headers: ndjson, payload: '{\n' });
    expect(JSON.parse(wrong.payload)).toMatchObject({ code: 'ERR_HTTP_JSON' });
    expect(logged).toHaveLength(1);
    await app.close();
  });

  test('an unknown model has its status', async () => {
    const response = await app.inject({ method: 'POST', url: '/predict/other', headers: ndjson, payload: '{}' });
    expect(response.statusCode).toBe(404);
  });
});

describe('over sockets', () => {
  test('a stream is answered while it is sent, and pauses while the client does not read', async () => {
    const server = await startServer({ registry, port: 0 });
    const port = Number(new URL(server.url).port);
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8');
    const head = ['POST /predict/text HTTP/1.1', 'Host: localhost', 'Content-Type: application/x-ndjson'];
    socket.write(`${[...head, 'Transfer-Encoding: chunked', 'Connection: close'].join('\r\n')}\r\n\r\n`);
    const chunk = (data: string) => `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
    socket.write(chunk('"first"\n'));
    let received = '';
    while (!received.includes('first')) [received] = [received + (await once(socket, 'data'))[0]];

    // The server stops reading when the client does not read the answers, so the socket accepts no
    // more rows.
    socket.pause();
    const rows = `"${'x'.repeat(1000)}"\n`.repeat(100);
    let sent = 0;
    while (socket.writableLength < 2 ** 20) {
      socket.write(chunk(rows));
      sent += 100;
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.write(chunk('"last"\n'));
    socket.write('0\r\n\r\n');
    const rest = text(socket);
    socket.resume();
    const all = received + (await rest);
    expect(all.match(/"TEXT"/g)).toHaveLength(sent + 2);
    expect(all).toContain('{"TEXT":"last"}');
    await server.close();
  });

  test('a client that disconnects ends its prediction', async () => {
    const store = await openStore();
    const runtime = createRuntime({ store });
    const models = await createRegistry({ runtime });
    let finish: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      models.add('slow', {
        async load() {
          resolve();
          await new Promise<void>((done) => {
            finish = done;
          });
          throw new Error('nobody waits for it');
        },
      });
    });
    const server = await startServer({ registry: models, port: 0 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      'POST /predict/slow HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
    await asked;
    socket.destroy();
    await until(() => models.stats().versions[0]!.inFlight === 0);
    finish();
    await server.close();
    await models.close();
    await runtime.close();
  });
});
