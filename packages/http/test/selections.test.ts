import {
  type Candidate,
  createSelection,
  SelectionError,
  type SelectionOptions,
  type SelectionPolicy,
} from '@brezel/selection';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRegistry } from 'brezel';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { until } from '../../../testing/until.js';
import { inferenceRoutes, startServer } from '../dist/index.js';
import { addModel, constantModel, get, linearModel, post, serving } from './models.js';

interface Film {
  readonly text: string;
}
interface Label {
  readonly label: string;
}

const says =
  (label: string): Candidate<Film, Label> =>
  () => ({ label });
const labelLoss = (truth: string, { label }: Label) => (truth === label ? 0 : 1);
const film = (options: Partial<SelectionOptions<Film, Label, string>> = {}) =>
  createSelection<Film, Label, string>({
    candidates: { a: says('good'), b: says('bad'), c: says('good') },
    loss: labelLoss,
    ...options,
  });

/** Asks the candidates in the order of their names. */
const inOrder: SelectionPolicy = {
  name: 'in-order',
  init: () => null,
  select: (_state, { candidates: [first] }) => ({ ask: [first!], probabilities: { [first!]: 1 } }),
  combine: (_state, { asked, join }) => join({ [asked[0]!]: 1 }),
  observe: (state) => state,
};

const row = { text: 'a charming film' };
const add = () => undefined;

describe('POST /select and POST /feedback', () => {
  test('answer a row, and learn from feedback in the context', async () => {
    const app = film();
    const server = await serving(add, { selections: { film: app } });
    const { status, body } = await post(server.app, '/select/film?context=user%207', row);
    expect(status).toBe(200);
    expect(body).toEqual({
      answer: { label: 'good' },
      confidence: 2 / 3,
      isFallback: false,
      asked: ['a', 'b', 'c'],
      missing: [],
      query: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await post(server.app, `/feedback/${body.query}?context=user%207`, '"bad"', json)).toMatchObject({
      status: 200,
      body: { loss: 1, losses: { a: 1, b: 0, c: 1 } },
    });
    const [own, other] = [await app.weights({ context: 'user 7' }), await app.weights({ context: 'user 8' })];
    expect(own!.b).toBeGreaterThan(own!.a!);
    expect(other).toEqual(await app.weights());
    await server.close();
  });

  test('find the selection of a query among several selections', async () => {
    const [first, second] = [film(), film({ candidates: { only: says('bad') } })];
    const server = await serving(add, { selections: { first, second } });
    const { query } = (await post(server.app, '/select/second', row)).body;
    expect((await post(server.app, `/feedback/${query}`, '"bad"', json)).body).toEqual({
      loss: 0,
      losses: { only: 0 },
    });
    expect([first.stats().feedback, first.stats().refused, second.stats().feedback]).toEqual([0, 0, 1]);
    await server.close();
  });

  test('use models of the registry, and answer 400 for a row that no candidate accepts', async () => {
    const registry = await createRegistry();
    addModel(registry, 'one', constantModel(1));
    addModel(registry, 'sum', linearModel([1, 1], 0));
    const app = createSelection<{ readonly x: readonly number[] }, { readonly y: number }, number>({
      registry,
      candidates: { one: 'one', sum: 'sum' },
      combine: 'mean',
      loss: (truth, { y }) => Math.abs(truth - y),
    });
    const server = fastify();
    server.register(inferenceRoutes, { registry, selections: { app } });
    expect((await post(server, '/select/app', { x: [1, 2] })).body.answer).toEqual({ y: [2] });
    expect(await post(server, '/select/app', { x: [1] })).toMatchObject({
      status: 400,
      body: { code: 'ERR_RUNTIME_INPUT' },
    });
    app.add('broken', () => {
      throw new TypeError('x is not iterable');
    });
    expect((await post(server, '/select/app', { x: [1] })).body.code).toBe('ERR_RUNTIME_INPUT');
    app.add('busy', () => {
      throw new SelectionError('ERR_BUSY', { message: 'busy', hint: 'try again', statusCode: 429 });
    });
    expect((await post(server, '/select/app', { x: [1] })).body.code).toBe('ERR_SELECTION_NO_ANSWER');
    await server.close();
    await registry.close();
  });

  test('name the missing candidates with their errors, and hide the errors of functions', async () => {
    const fails: Candidate<Film, Label> = () => {
      throw new Error('the password is 1234');
    };
    const app = film({ candidates: { a: fails, b: says('bad') }, policy: inOrder });
    const server = await serving(add, { selections: { film: app } });
    const { body } = await post(server.app, '/select/film', row);
    expect(body).toMatchObject({ answer: { label: 'bad' }, asked: ['a', 'b'] });
    expect(body.missing).toEqual([
      { candidate: 'a', reason: 'failed', error: expect.objectContaining({ code: 'ERR_INTERNAL' }) },
    ]);
    app.remove('b');
    const none = await post(server.app, '/select/film', row);
    expect(none).toMatchObject({ status: 503, body: { code: 'ERR_SELECTION_NO_ANSWER' } });
    expect(none.headers['retry-after']).toBe('1');
    expect(JSON.stringify([body, none.body])).not.toContain('1234');
    await server.close();
  });

  test('answer the fallback at the deadline', async () => {
    const clock = new ManualClock();
    const never: Candidate<Film, Label> = () => new Promise(() => undefined);
    const app = film({ candidates: { never }, fallback: { label: 'unknown' }, clock });
    const server = await serving(add, { selections: { film: app } });
    const answer = post(server.app, '/select/film?deadline_ms=20', row);
    await clock.untilTimer();
    clock.advance(20);
    expect((await answer).body).toMatchObject({
      answer: { label: 'unknown' },
      confidence: 0,
      isFallback: true,
      missing: [{ candidate: 'never', reason: 'late' }],
    });
    await server.close();
  });

  describe('with a store that does not answer', () => {
    /** A store whose calls settle when the test settles them. */
    const hanging = () => {
      const calls = { reads: 0, updates: [] as { resolve: () => void; reject: (error: Error) => void }[] };
      const state = {
        read: () => {
          calls.reads++;
          return new Promise<never>(() => undefined);
        },
        update: () => new Promise<void>((resolve, reject) => calls.updates.push({ resolve, reject })),
      };
      return { calls, state };
    };

    test('the statistics and the metrics have no weights, and read the store once', async () => {
      const clock = new ManualClock();
      const { calls, state } = hanging();
      const server = await serving(add, { selections: { film: film({ state, clock }) } });
      const pages = Promise.all(['/statistics', '/statistics', '/metrics'].map((path) => get(server.app, path)));
      await until(() => clock.timers === 3);
      expect(calls.reads).toBe(1);
      clock.advance(1000);
      const [first, , metrics] = await pages;
      expect(first!.body.selections[0].candidates[0]).not.toHaveProperty('weight');
      expect(metrics!.body).toContain('brezel_selection_requests_total');
      expect(metrics!.body).not.toMatch(/^brezel_selection_candidate_weight\{/m);
      await server.close();
    });

    test.each([
      ['', 10_000],
      ['?deadline_ms=20', 20],
    ])('feedback%s ends, and the query opens again if the store fails', async (query, milliseconds) => {
      const clock = new ManualClock();
      const { calls, state } = hanging();
      const app = film({ state: { ...state, read: () => undefined }, clock });
      const server = await serving(add, { selections: { film: app } });
      const url = `/feedback/${(await post(server.app, '/select/film', row)).body.query}`;
      const late = post(server.app, url + query, '"good"', json);
      await clock.untilTimer();
      clock.advance(milliseconds - 1);
      expect(clock.timers).toBe(1);
      clock.advance(1);
      expect(await late).toMatchObject({ status: 503, body: { code: 'ERR_SELECTION_STATE' } });
      expect(await post(server.app, url, '"good"', json)).toMatchObject({ status: 409 });
      calls.updates[0]!.reject(new Error('the store failed'));
      const again = post(server.app, url, '"good"', json);
      await until(() => calls.updates.length === 2);
      calls.updates[1]!.resolve();
      expect((await again).status).toBe(200);
      expect([app.stats().feedback, app.stats().refused]).toEqual([1, 2]);
      await server.close();
    });
  });

  test('write any answer as JSON', async () => {
    const answers = [1n << 70n, Number.NaN, -0, undefined, [undefined, Number.POSITIVE_INFINITY], () => 1];
    const app = createSelection<number, unknown>({
      candidates: { list: (at) => ({ answer: answers[at], floats: new Float32Array([0.5, 2]) }) },
      loss: () => 0,
    });
    const server = await serving(add, { selections: { app } });
    const texts = [];
    for (const at of answers.keys()) {
      const { payload } = await server.app.inject({
        method: 'POST',
        url: '/select/app',
        payload: `${at}`,
        headers: json,
      });
      texts.push(/^\{"answer":\{"answer":(.*),"floats":\[0\.5,2\]\},"confidence":1,/.exec(payload)?.[1]);
    }
    expect(texts).toEqual(['1180591620717411303424', '"NaN"', '-0.0', 'null', '[null,"Infinity"]', 'null']);
    await server.close();
  });
});

const json = { 'content-type': 'application/json' };

describe('hostile requests get a status and a sentence', () => {
  const clock = new ManualClock();
  const app = createSelection<Film, Label, { readonly label: string }>({
    candidates: { a: says('good') },
    loss: (truth, { label }) => (truth.label === 'NaN' ? Number.NaN : truth.label === label ? 0 : 1),
    features: ({ text }) => [text.length],
    feedbackMs: 1000,
    clock,
  });
  let server: Awaited<ReturnType<typeof serving>>;
  beforeAll(async () => {
    server = await serving(add, { selections: { film: app, 'a / "name"': film() }, maxBodyBytes: 2000 });
  });
  afterAll(() => server.close());
  const predicted = async () => (await post(server.app, '/select/film', row)).body.query as string;
  const truth = { label: 'good' };

  test.each([
    ['an unknown selection', '/select/other', row, 404, 'ERR_HTTP_SELECTION'],
    ['the name __proto__', '/select/__proto__', row, 404, 'ERR_HTTP_SELECTION'],
    ['the name constructor', '/select/constructor', row, 404, 'ERR_HTTP_SELECTION'],
    ['no name', '/select/', row, 404, 'ERR_HTTP_SELECTION'],
    ['an unknown query', '/feedback/other', truth, 404, 'ERR_HTTP_QUERY'],
    ['the query __proto__', '/feedback/__proto__', truth, 404, 'ERR_HTTP_QUERY'],
    ['no query', '/feedback/', truth, 404, 'ERR_HTTP_QUERY'],
    ['an empty body', '/select/film', '', 400, 'ERR_HTTP_JSON'],
    ['a number that is not JSON', '/select/film', '{"text": NaN}', 400, 'ERR_HTTP_JSON'],
    ['__proto__ in the row', '/select/film', '{"__proto__": {"text": "x"}}', 400, 'ERR_HTTP_JSON'],
    ['a row for which features throws', '/select/film', 'null', 400, 'ERR_SELECTION_FEATURES'],
    ['a large row', '/select/film', { text: 'x'.repeat(3000) }, 413, 'ERR_HTTP_BODY'],
    ['a long context', `/select/film?context=${'x'.repeat(513)}`, row, 400, 'ERR_HTTP_REQUEST'],
    ['two contexts', '/select/film?context=a&context=b', row, 400, 'ERR_HTTP_REQUEST'],
    ['a deadline of zero', '/select/film?deadline_ms=0', row, 400, 'ERR_HTTP_REQUEST'],
  ])('%s', async (_, url, payload, status, code) => {
    const answer = await post(server.app, url, payload, json);
    expect(answer).toMatchObject({ status, body: { code, error: expect.stringMatching(/\w{3}/) } });
  });

  test('a huge query, and a query that is not UTF-8, get short responses', async () => {
    const registry = await createRegistry();
    const own = await startServer({ registry, port: 0, selections: { film: app } });
    for (const [query, status, code] of [
      ['9'.repeat(5000), 414, 'ERR_HTTP_PATH'],
      ['9'.repeat(1000), 404, 'ERR_HTTP_QUERY'],
      ['%ff', 400, 'ERR_HTTP_REQUEST'],
    ] as const) {
      const answer = await post(own.app, `/feedback/${query}`, truth);
      expect(answer).toMatchObject({ status, body: { code, error: expect.any(String), hint: expect.any(String) } });
      expect(JSON.stringify(answer.body).length).toBeLessThan(500);
    }
    await own.close();
    await registry.close();
  });

  test('other content types, and other methods', async () => {
    expect((await post(server.app, '/select/film', 'x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await get(server.app, '/select/film')).status).toBe(404);
  });

  test('the longest deadline is accepted', async () => {
    expect((await post(server.app, '/select/film?deadline_ms=9999999999', row)).status).toBe(200);
  });

  test('feedback twice, also at the same time', async () => {
    const query = await predicted();
    const feedback = () => post(server.app, `/feedback/${query}`, truth);
    const [first, second] = await Promise.all([feedback(), feedback()]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    expect(await feedback()).toMatchObject({ status: 409, body: { code: 'ERR_SELECTION_REPEATED' } });
  });

  test('feedback after feedbackMs', async () => {
    const query = await predicted();
    clock.advance(1001);
    expect(await post(server.app, `/feedback/${query}`, truth)).toMatchObject({
      status: 404,
      body: { code: 'ERR_HTTP_QUERY' },
    });
  });

  test('a wrong context, a loss of NaN, and a truth for which the loss throws leave the query open', async () => {
    const query = await predicted();
    for (const [path, payload, code] of [
      ['?context=other', truth, 'ERR_SELECTION_CONTEXT'],
      ['', { label: 'NaN' }, 'ERR_SELECTION_LOSS'],
      ['', 'null', 'ERR_SELECTION_LOSS'],
      ['', '', 'ERR_HTTP_JSON'],
    ] as const)
      expect(await post(server.app, `/feedback/${query}${path}`, payload, json)).toMatchObject({
        status: 400,
        body: { code },
      });
    expect((await post(server.app, `/feedback/${query}`, truth)).status).toBe(200);
  });
});

test('a store that fails gives status 503 without its reason, and the query stays open', async () => {
  const error = { message: 'the state cannot be written', hint: 'see `cause`', statusCode: 503 };
  let isAway = true;
  const state = {
    read: () => undefined,
    update() {
      if (isAway) throw new SelectionError('ERR_SELECTION_STATE', error, { received: '/var/secret.db is locked' });
    },
  };
  const server = await serving(add, { selections: { film: film({ state }) } });
  const { query } = (await post(server.app, '/select/film', row)).body;
  const refused = await post(server.app, `/feedback/${query}`, '"good"', json);
  expect(refused).toMatchObject({ status: 503, body: { code: 'ERR_SELECTION_STATE' } });
  expect(refused.headers['retry-after']).toBe('1');
  expect(JSON.stringify(refused.body)).not.toContain('secret');
  isAway = false;
  expect((await post(server.app, `/feedback/${query}`, '"good"', json)).status).toBe(200);
  await server.close();
});

describe('access and limits', () => {
  test('the routes need the token, unless predictions are open', async () => {
    const [closed, open] = await Promise.all([
      serving(add, { selections: { film: film() }, token: 'secret' }),
      serving(add, { selections: { film: film() }, token: 'secret', open: ['predict'] }),
    ]);
    for (const path of ['/select/film', '/feedback/x']) expect((await post(closed.app, path, row)).status).toBe(401);
    const { body } = await post(open.app, '/select/film', row);
    expect((await post(open.app, `/feedback/${body.query}`, '"good"', json)).status).toBe(200);
    await closed.close();
    await open.close();
  });

  test('concurrency limits predictions and feedback', async () => {
    let finish: (label: Label) => void = () => undefined;
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const slow: Candidate<Film, Label> = () =>
      new Promise((resolve) => {
        finish = resolve;
        isAsked();
      });
    const server = await serving(add, { selections: { film: film({ candidates: { slow } }) }, concurrency: 1 });
    const first = post(server.app, '/select/film', row);
    await asked;
    for (const path of ['/select/film', '/feedback/x'])
      expect(await post(server.app, path, row)).toMatchObject({ status: 429, body: { code: 'ERR_HTTP_BUSY' } });
    finish({ label: 'good' });
    const { query } = (await first).body;
    expect((await post(server.app, `/feedback/${query}`, '"good"', json)).status).toBe(200);
    await server.close();
  });

  test('the routes do not exist without selections', async () => {
    const server = await serving(add);
    expect((await post(server.app, '/select/film', row)).status).toBe(404);
    expect((await get(server.app, '/statistics')).body.selections).toBeUndefined();
    await server.close();
  });

  test.each([
    ['no selection', { film: { predict: () => 1 } }, /"film".*without feedback, hasQuery/],
    ['null', { film: null }, /"film"/],
    ['an empty name', { '': film() }, /1 to 200 characters/],
    ['a list', [], /selections/],
    ['a text', 'film', /selections/],
  ])('the option rejects %s', async (_, selections, message) => {
    const registry = await createRegistry();
    const started = startServer({ registry, port: 0, selections: selections as never });
    await expect(started).rejects.toMatchObject({ code: 'ERR_HTTP_OPTION', message: expect.stringMatching(message) });
    await registry.close();
  });

  test('the option rejects several processes', async () => {
    const registry = await createRegistry();
    const none = () => {
      throw new Error('not called');
    };
    const processes = { join: none, change: none, statistics: none, metrics: none };
    const started = startServer({ registry, port: 0, selections: { film: film() }, processes });
    await expect(started).rejects.toMatchObject({ code: 'ERR_HTTP_OPTION' });
    await registry.close();
  });
});

describe('/openapi.json and /statistics', () => {
  test('the document describes the selections, and matches the responses', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const server = await serving(add, { selections: { 'a film / 1': film() }, token: 'x', open: ['predict'] });
    const { body: document } = await get(server.app, '/openapi.json');
    expect(await lintFromString({ source: JSON.stringify(document), config })).toEqual([]);
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/select/a%20film%20%2F%201', '/feedback/{query}']),
    );
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(document, 'openapi');
    const { body } = await post(server.app, '/select/a%20film%20%2F%201', row);
    expect(ajv.getSchema('openapi#/components/schemas/SelectedAnswer')!(body)).toBe(true);
    const learned = await post(server.app, `/feedback/${body.query}`, '"good"', json);
    expect(ajv.getSchema('openapi#/components/schemas/FeedbackLosses')!(learned.body)).toBe(true);
    expect(ajv.getSchema('openapi#/components/schemas/FeedbackLosses')!({ loss: 2, losses: {} })).toBe(false);
    await server.close();
  });

  test('/statistics shows weights, shares, confidence, fallbacks and regret', async () => {
    const app = film({ policy: inOrder });
    const server = await serving(add, { selections: { first: film(), second: app } });
    const { query } = (await post(server.app, '/select/first', row)).body;
    await post(server.app, `/feedback/${query}`, '"bad"', json);
    await post(server.app, '/select/second', row);
    const { selections, requests } = (await get(server.app, '/statistics')).body;
    expect(requests.times.count).toBe(2);
    expect(selections[0]).toMatchObject({
      ...{ name: 'first', requests: 1, answered: 1, fallbacks: 0, unanswered: 0, feedback: 1, refused: 0 },
      ...{ waiting: 0, expired: 0, confidence: 2 / 3, loss: 1, regret: 1 },
    });
    const [a, b] = selections[0].candidates;
    expect(a).toMatchObject({ name: 'a', share: 1, asked: 1, answered: 1, late: 0, failed: 0, loss: 1 });
    expect(b.weight).toBeGreaterThan(a.weight);
    // This policy has no weights, and asked only one candidate.
    expect(selections[1].candidates).toMatchObject([{ name: 'a', share: 1 }, { share: 0 }, { share: 0, asked: 0 }]);
    expect(selections[1].candidates[0].weight).toBeUndefined();
    await server.close();
  });

  test('/metrics has the same numbers', async () => {
    const app = film({ candidates: { a: says('good'), b: says('bad') }, fallback: { label: 'unknown' } });
    const fail = async (): Promise<never> => {
      throw new Error('the store is away');
    };
    const away = film({ state: { read: fail, update: fail } });
    const server = await serving(add, { selections: { film: app, away } });
    const { query } = (await post(server.app, '/select/film', row)).body;
    await post(server.app, `/feedback/${query}`, '"bad"', json);
    await post(server.app, `/feedback/${query}`, '"bad"', json);
    const { a, b } = (await app.weights()) as Record<'a' | 'b', number>;
    const { body } = await get(server.app, '/metrics');
    for (const line of [
      'brezel_selection_requests_total{selection="film"} 1',
      'brezel_selection_answers_total{selection="film"} 1',
      'brezel_selection_fallbacks_total{selection="film"} 0',
      'brezel_selection_confidence_total{selection="film"} 0.5',
      'brezel_selection_feedback_total{selection="film"} 1',
      'brezel_selection_feedback_refused_total{selection="film"} 1',
      'brezel_selection_loss_total{selection="film"} 1',
      'brezel_selection_regret{selection="film"} 1',
      `brezel_selection_candidate_weight{selection="film",candidate="a"} ${a}`,
      `brezel_selection_candidate_weight{selection="film",candidate="b"} ${b}`,
      'brezel_selection_candidate_requests_total{selection="film",candidate="b"} 1',
      'brezel_selection_candidate_late_total{selection="film",candidate="a"} 0',
      'brezel_selection_candidate_failures_total{selection="film",candidate="a"} 0',
      'brezel_selection_candidate_loss{selection="film",candidate="a"} 1',
      'brezel_selection_requests_total{selection="away"} 0',
    ])
      expect(body.split('\n')).toContain(line);
    expect(body).not.toContain('candidate_weight{selection="away"');
    await server.close();
  });

  test('/statistics has the counts while the store fails', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('the store is away');
    };
    const server = await serving(add, { selections: { film: film({ state: { read: fail, update: fail } }) } });
    const { status, body } = await get(server.app, '/statistics');
    expect([status, body.selections[0].candidates[0].name]).toEqual([200, 'a']);
    await server.close();
  });
});
