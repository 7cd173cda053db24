import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createFlour, createRegistry, createRuntime, importOnnx, openStore, scalar, vector } from 'brezel';
import fastify from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { inferenceRoutes } from '../dist/index.js';
import { addModel, constantModel, echoModel, get, post, serving } from './models.js';

const control = { authorization: 'Bearer secret' };
const { app, registry, close } = await serving(
  (registry) => {
    addModel(registry, 'film', constantModel(1), 1);
    addModel(registry, 'film', constantModel(2), 2);
  },
  { token: 'secret', open: ['predict', 'metrics'] },
);
afterAll(close);

const repository = (verb: string, name: string, body?: object, headers: object = control) =>
  post(app, `/v2/repository/models/${name}/${verb}`, body, headers);
const states = async () => {
  const { body } = await post(app, '/v2/repository/index', {});
  return Object.fromEntries(
    body.map(({ name, version, state }: Record<string, string>) => [`${name}@${version}`, state]),
  );
};

describe('the model repository', () => {
  test('lists, loads and unloads models', async () => {
    expect(await states()).toEqual({ 'film@1': 'UNAVAILABLE', 'film@2': 'UNAVAILABLE' });
    expect(await repository('load', 'film')).toMatchObject({ status: 200, body: {} });
    await registry.load('film@2');
    expect(await states()).toEqual({ 'film@1': 'READY', 'film@2': 'READY' });
    expect(await repository('unload', 'film')).toMatchObject({ status: 200, body: {} });
    expect(await states()).toEqual({ 'film@1': 'UNAVAILABLE', 'film@2': 'UNAVAILABLE' });
    expect((await post(app, '/v2/repository/index', { ready: true })).body).toEqual([]);
    expect((await post(app, '/v2/repository/index', undefined)).body).toHaveLength(2);
    expect((await repository('unload', 'film')).status).toBe(200);
    expect(await repository('load', 'film@1')).toMatchObject({ status: 200, body: {} });
    for (const name of ['film@1', 'film:default'])
      expect(await repository('unload', name)).toMatchObject({
        status: 400,
        body: { code: 'ERR_HTTP_REQUEST', error: expect.stringContaining(`received "${name}"`) },
      });
    expect(await repository('unload', 'film')).toMatchObject({ status: 200, body: {} });
  });

  test('does not unload a model that answers a request', async () => {
    await registry.load('film');
    let finish: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      finish = resolve;
    });
    registry.add('busy', {
      async load() {
        await waiting;
        throw new Error('late');
      },
    });
    const answer = post(app, '/predict/busy', {});
    expect((await repository('unload', 'busy')).status).toBe(200); // it is not loaded yet
    finish();
    expect((await answer).status).toBe(503);
    await registry.remove('busy');
  });

  test('does not unload a model that it could not load again', async () => {
    const store = registry.store;
    using flour = await createFlour({ store });
    const plan = importOnnx(constantModel(3), flour).program.plan();
    registry.add('resident', plan);
    plan.release();
    expect(await repository('unload', 'resident')).toMatchObject({ status: 409, body: { code: 'ERR_HTTP_IN_USE' } });
    await registry.remove('resident');
  });

  test('accepts names of models only', async () => {
    const files = { parameters: { 'file:1/model.onnx': 'AAAA' } };
    expect(await repository('load', 'film', files)).toMatchObject({ status: 400, body: { code: 'ERR_HTTP_REQUEST' } });
    for (const name of ['other', '..%2Fsecret', 'file:%2F%2F%2Fetc%2Fpasswd'])
      expect([400, 404]).toContain((await repository('load', name)).status);
    expect((await repository('unload', 'other')).status).toBe(404);
    for (const body of ['[]', '"x"', 'null', '{"parameters": 1}', '{'])
      expect((await post(app, '/v2/repository/index', body)).status).toBe(400);
  });

  test('requires the token, and does not exist without a token', async () => {
    for (const verb of ['load', 'unload'])
      expect(await repository(verb, 'film', {}, {})).toMatchObject({ status: 401, body: { code: 'ERR_HTTP_TOKEN' } });
    const plain = await serving((registry) => void addModel(registry, 'film', constantModel(1)));
    const refused = await post(plain.app, '/v2/repository/models/film/load', {}, control);
    expect(refused).toMatchObject({ status: 403, body: { code: 'ERR_HTTP_CONTROL' } });
    await plain.close();
  });
});

const config = await createConfig({ extends: ['recommended'] });

describe('/openapi.json', () => {
  const problemsOf = async (document: object) => {
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
  };

  test('passes the recommended rules of redocly, also with a token and strange names', async () => {
    const strange = 'a film / with? spaces';
    addModel(registry, strange, echoModel('text', 'words', 'f32', 'i64', 'flag', 'grid'));
    await registry.load(strange);
    await registry.load('film');
    expect(await problemsOf((await get(app, '/openapi.json')).body)).toEqual([]);
    await registry.remove(strange);
    const plain = await serving((registry) => void addModel(registry, 'film', constantModel(1)));
    expect(await problemsOf((await get(plain.app, '/openapi.json')).body)).toEqual([]);
    await plain.close();
    const closed = await serving((registry) => void addModel(registry, 'film', constantModel(1)), { token: 'x' });
    const { security, paths } = (await get(closed.app, '/openapi.json', { authorization: 'Bearer x' })).body;
    expect([security, paths['/v2/health/live'].get.security]).toEqual([[{ token: [] }], []]);
    await closed.close();
    const broken = { ...(await get(app, '/openapi.json')).body, paths: { '/x': { get: {} } } };
    expect(await problemsOf(broken)).not.toEqual([]);
  });

  test('describes the loaded models', async () => {
    const paths = async () =>
      Object.keys((await get(app, '/openapi.json')).body.paths).filter((path) => path.startsWith('/predict/'));
    await registry.load('film');
    expect(await paths()).toEqual(['/predict/film', '/predict/film%401']);
    await registry.load('film@2');
    expect(await paths()).toEqual(['/predict/film', '/predict/film%401', '/predict/film%402']);
    registry.unload('film@1');
    registry.unload('film@2');
    expect(await paths()).toEqual([]);
  });

  test('its schemas accept the rows and the answers of the server', async () => {
    await registry.load('film');
    const { body: document } = await get(app, '/openapi.json');
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(document, 'openapi');
    const { post: operation } = document.paths['/predict/film'];
    const pointerOf = (schema: { anyOf: { $ref: string }[] }) => schema.anyOf[0]!.$ref;
    const isRow = ajv.getSchema(`openapi${pointerOf(operation.requestBody.content['application/json'].schema)}`)!;
    const isAnswer = ajv.getSchema(`openapi${pointerOf(operation.responses[200].content['application/json'].schema)}`)!;
    for (const row of [{ x: [1, 2] }, { x: [1] }, { x: [1, '2'] }, {}, { x: [1, 2], y: 1 }]) {
      const { status, body } = await post(app, '/predict/film', row);
      expect([isRow(row), status]).toEqual(status === 200 ? [true, 200] : [false, 400]);
      if (status === 200) expect(isAnswer(body)).toBe(true);
    }
    const explained = operation.responses[200].content['application/json'].schema.anyOf[2].$ref;
    using flour = await createFlour({ store: registry.store });
    registry.add(
      'score',
      flour
        .input('x', vector('float32', 2))
        .linear({ weights: [1, 2] })
        .plan(),
    );
    const why = (await post(app, '/predict/score?contributions=2', { x: [1, 2] })).body;
    expect(ajv.getSchema('openapi#/components/schemas/Contributions')!(why.contributions)).toBe(true);
    expect(explained).toMatch(/ExplainedAnswer$/);
    const words = flour.input('text', scalar('string')).tokenize();
    registry.add(
      'words',
      words
        .wordNgram({ vocabulary: [['a'], ['b']] })
        .logistic({ weights: [1, -1] })
        .plan(),
    );
    const ofText = (await post(app, '/predict/words?contributions=2', { text: 'a b a' })).body.contributions;
    expect(ofText.contributions[1]).toMatchObject({ at: [2, 3] });
    expect(ofText.contributions[0].places).toHaveLength(2);
    const isExplanation = ajv.getSchema('openapi#/components/schemas/Contributions')!;
    expect(isExplanation(ofText)).toBe(true);
    const { properties } = document.components.schemas.Contributions.properties.contributions.items;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(ofText.contributions[0])));
    const wrong = { ...ofText, contributions: [{ input: 'text', value: 1, at: [1], places: [[0]] }] };
    expect(isExplanation(wrong)).toBe(false);
    const isResponse = ajv.getSchema('openapi#/components/schemas/InferenceResponse')!;
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 2], data: [1, 2] }];
    const { body } = await post(app, '/v2/models/film/infer', { id: '1', inputs });
    expect(isResponse(body)).toBe(true);
    expect(ajv.getSchema('openapi#/components/schemas/Error')!((await post(app, '/predict/x', {})).body)).toBe(true);
  });
});

describe('/admin', () => {
  const admin = (action: string, reference: string, body?: object, headers: object = control) =>
    post(app, `/admin/aliases/${reference}/${action}`, body, headers);
  const answered = async (key: string) =>
    (await post(app, `/predict/film?key=${key}`, { x: [1, 2] })).headers['x-model-version'];

  test('promotes, sends a share to a canary, and rolls back', async () => {
    expect(await admin('promote', 'film', { version: 2 })).toMatchObject({
      status: 200,
      body: { alias: 'film:default', version: 'film@2' },
    });
    expect(await answered('a')).toBe('film@2');
    expect((await admin('rollback', 'film')).body).toMatchObject({ version: 'film@1' });
    expect((await admin('canary', 'film', { to: '2', percent: 100 })).body).toMatchObject({
      canary: { version: 'film@2', percent: 100 },
    });
    expect(await answered('a')).toBe('film@2');
    await admin('rollback', 'film');
    expect(await answered('a')).toBe('film@1');
    expect(await admin('rollback', 'film:default')).toMatchObject({
      status: 409,
      body: { code: 'ERR_REGISTRY_NO_PREVIOUS' },
    });
  });

  test('starts and ends a shadow, and shows the statistics', async () => {
    expect((await admin('shadow', 'film', { to: 2, sample: 1 })).body).toMatchObject({
      shadow: { version: 'film@2', sample: 1 },
    });
    await post(app, '/predict/film', { x: [1, 2] });
    const aliases = async () => (await get(app, '/admin/models', control)).body.aliases;
    await until(async () => (await aliases())[0].shadow.different === 1);
    expect((await admin('shadow', 'film', { to: null })).body.shadow).toBeUndefined();
  });

  test.each([
    ['an unknown version', 'promote', 'film', { version: 9 }, 404],
    ['an unknown model', 'promote', 'other', { version: 1 }, 404],
    ['a version in the reference', 'promote', 'film@1', { version: 1 }, 400],
    ['no version', 'promote', 'film', {}, 400],
    ['a version that is a list', 'promote', 'film', { version: [1] }, 400],
    ['too many percent', 'canary', 'film', { to: 2, percent: 101 }, 400],
    ['a canary of an unknown version', 'canary', 'film', { to: 9, percent: 1 }, 404],
    ['a wrong sample', 'shadow', 'film', { to: 2, sample: 2 }, 400],
    ['a list', 'promote', 'film', [], 400],
  ])('%s changes nothing', async (_, action, reference, body, status) => {
    const before = registry.model('film')!.aliases;
    expect((await admin(action, reference, body)).status).toBe(status);
    const meaning = ({ version, canary, shadow }: (typeof before)[number]) => ({ version, canary, shadow });
    expect(registry.model('film')!.aliases.map(meaning)).toEqual(before.map(meaning));
  });

  test('needs the token', async () => {
    expect((await admin('promote', 'film', { version: 2 }, {})).status).toBe(401);
    expect((await get(app, '/admin/models')).status).toBe(401);
  });
});

describe('/metrics', () => {
  test('counts the process, the registry, the runtime and requests by route', async () => {
    const runtime = createRuntime({ store: await openStore() });
    const models = await createRegistry({ runtime });
    addModel(models, 'film', constantModel(1));
    const own = fastify();
    own.register(inferenceRoutes, { registry: models, runtime });
    await post(own, '/predict/film', { x: [1, 2] });
    await post(own, '/predict/other', { x: [1, 2] });
    const { status, body, headers } = await get(own, '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    for (const line of [
      /^process_resident_memory_bytes \d/m,
      /^brezel_plans 1$/m,
      /^brezel_registry_models 1$/m,
      /^brezel_http_request_seconds_count\{method="POST",route="\/predict\/:reference",status="200"\} 1$/m,
      /^brezel_http_request_seconds_count\{method="POST",route="\/predict\/:reference",status="404"\} 1$/m,
    ])
      expect(body).toMatch(line);
    await own.close();
    await models.close();
    await runtime.close();
  });

  test('needs the token unless it is open, and can be off', async () => {
    const add = (registry: Awaited<ReturnType<typeof createRegistry>>) =>
      void addModel(registry, 'film', constantModel(1));
    const closed = await serving(add, { token: 'secret' });
    expect((await get(closed.app, '/metrics')).status).toBe(401);
    await closed.close();
    expect((await get(app, '/metrics')).status).toBe(200);
    const off = await serving(add, { metrics: false });
    expect((await get(off.app, '/metrics')).status).toBe(404);
    await off.close();
  });
});
