import { readFileSync } from 'node:fs';
import { responseOfBrezelError } from '@brezel/oip';
import { createSelection, type SelectionOptions, type SelectionPolicy } from '@brezel/selection';
import { BrezelError } from 'brezel';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type InferenceOptions, inferenceRoutes } from '../dist/index.js';
import { type Failing, failingModels, failingRegistry, ownerErrors, SECRET } from './failing-models.js';
import { get, post, send } from './models.js';

// Errors of code that belongs to the owner of the server, not to Brezel: clients must not see their
// text, code or status, and the log must contain them.

const logged: string[] = [];
const json = { 'content-type': 'application/json' };
let failing: Failing;
beforeAll(async () => {
  failing = await failingRegistry();
});
beforeEach(() => void logged.splice(0));
afterAll(() => failing.close());

/** Runs a test with the routes of the package in an application that has a log. */
async function withRoutes(
  options: Partial<InferenceOptions>,
  use: (app: FastifyInstance) => Promise<void>,
): Promise<void> {
  const app = fastify({ logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } } });
  app.register(inferenceRoutes, { registry: failing.registry, ...options });
  try {
    await use(app);
  } finally {
    await app.close();
  }
}

/** Checks that a response hides an error, and that the log contains the error once. */
function expectHidden({ status, body }: { readonly status: number; readonly body: unknown }, statuses: number[]): void {
  const text = JSON.stringify(body);
  expect([statuses.includes(status), text, text.includes(SECRET)]).toEqual([true, text, false]);
  expect(text).toContain('the log of the server has the reason');
  expect(logged.filter((line) => line.includes(JSON.stringify(SECRET).slice(1, -1)))).toHaveLength(1);
}

describe.each(Object.entries(ownerErrors))('an error with %s', (_, create) => {
  test.each(failingModels)('in a %s, for every route of a model', async (kind) => {
    const tensors = { inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 1], data: [1] }] };
    for (const ask of [
      (app: FastifyInstance, name: string) => post(app, `/predict/${name}`, { x: 1 }),
      (app: FastifyInstance, name: string) => post(app, `/predict/${name}`, [{ x: 1 }]),
      (app: FastifyInstance, name: string) => post(app, `/v2/models/${name}/infer`, tensors),
    ]) {
      logged.splice(0);
      const name = failing.add(kind, create);
      await withRoutes({}, async (app) => expectHidden(await ask(app, name), [500, 503]));
    }
  });

  test.each(failingModels)('in a %s, for a stream', async (kind) => {
    const name = failing.add(kind, create);
    await withRoutes({}, async (app) => {
      const headers = { 'content-type': 'application/x-ndjson' };
      expectHidden(await send(app, { method: 'POST', url: `/predict/${name}`, headers, payload: '{"x":1}\n' }), [
        200, // the stream has started, and its last line is the error
        503,
      ]);
    });
  });

  test('in a source, for a load', async () => {
    const name = failing.add('source', create);
    await withRoutes({ token: 'abc' }, async (app) => {
      const headers = { authorization: 'Bearer abc' };
      const url = `/v2/repository/models/${name}/load`;
      expectHidden(await send(app, { method: 'POST', url, headers }), [503]);
    });
  });

  test('in the option isReady', async () => {
    const isReady = () => {
      throw create();
    };
    await withRoutes({ isReady }, async (app) => expectHidden(await get(app, '/v2/health/ready'), [500]));
  });

  test('in a candidate of a selection, and in the options of a selection', async () => {
    const fails = () => {
      throw create();
    };
    const policy: SelectionPolicy = {
      name: 'one',
      init: () => null,
      select: (_state, { candidates: [first] }) => ({ ask: [first!], probabilities: { [first!]: 1 } }),
      combine: (_state, { asked, join }) => join({ [asked[0]!]: 1 }),
      observe: (state) => state,
    };
    const good = { candidates: { good: () => 1 }, loss: () => 0 };
    const cases: Readonly<Record<string, [SelectionOptions<unknown, unknown, unknown>, number]>> = {
      candidate: [{ ...good, candidates: { fails, good: () => 1 } }, 200],
      'asynchronous candidate': [{ ...good, candidates: { fails: async () => fails(), good: () => 1 } }, 200],
      'all candidates': [{ ...good, candidates: { fails } }, 503],
      features: [{ ...good, features: fails }, 400],
      vote: [{ ...good, candidates: { good: () => 1, better: () => 2 }, vote: fails }, 500],
      policy: [{ ...good, policy: { ...policy, select: fails } }, 500],
      store: [{ ...good, state: { read: async () => fails(), update: fails } }, 500],
    };
    for (const [name, [options, expected]] of Object.entries(cases)) {
      logged.splice(0);
      await withRoutes({ selections: { app: createSelection(options) } }, async (app) => {
        const { status, body } = await post(app, '/select/app', { x: 1 });
        expect([name, status]).toEqual([name, expected]);
        expect(JSON.stringify(body)).not.toContain(SECRET);
        expect([name, logged.length, logged.join().includes(JSON.stringify(SECRET).slice(1, -1))]).toEqual([
          name,
          1,
          true,
        ]);
      });
    }
  });

  test('in the loss of a selection, and in its store', async () => {
    const fails = () => {
      throw create();
    };
    const good = { candidates: { good: () => 1 }, loss: () => 0 };
    for (const [options, expected] of [
      [{ ...good, loss: fails }, 400],
      [{ ...good, state: { read: () => undefined, update: async () => fails() } }, 500],
    ] as const) {
      logged.splice(0);
      await withRoutes({ selections: { app: createSelection<unknown, number>(options as never) } }, async (app) => {
        const { query } = (await post(app, '/select/app', { x: 1 })).body;
        const { status, body } = await post(app, `/feedback/${query}`, '1', json);
        expect(status).toBe(expected);
        expect(JSON.stringify(body)).not.toContain(SECRET);
        expect([logged.length, logged.join().includes(JSON.stringify(SECRET).slice(1, -1))]).toEqual([1, true]);
      });
    }
  });
});

test.each([undefined, null, 'text', Object.create(null), { statusCode: 403, message: SECRET }])(
  'a thrown value that is no Error: %j',
  async (value) => {
    const isReady = () => {
      throw value;
    };
    await withRoutes({ isReady }, async (app) => {
      const { status, body } = await get(app, '/v2/health/ready');
      expect([status, body.code]).toEqual([500, 'ERR_INTERNAL']);
      expect(logged.join()).toContain('not an Error');
    });
  },
);

test('errors of hooks of the application keep their status', async () => {
  const app = fastify();
  app.addHook('onRequest', async ({ headers }) => {
    if (headers.authorization === undefined)
      throw Object.assign(new Error('a key is missing'), { statusCode: 401, code: 'MISSING_KEY' });
  });
  app.register(inferenceRoutes, { registry: failing.registry });
  expect(await get(app, '/v2/health/live')).toMatchObject({
    status: 401,
    body: { error: 'a key is missing', code: 'MISSING_KEY' },
  });
  await app.close();
});

test('an error of a hook whose code is a property of every object', async () => {
  const app = fastify();
  app.addHook('onRequest', async () => {
    throw Object.assign(new Error('denied'), { statusCode: 403, code: 'constructor' });
  });
  app.register(inferenceRoutes, { registry: failing.registry });
  expect(await get(app, '/v2/health/live')).toMatchObject({ status: 403, body: { error: 'denied' } });
  await app.close();
});

describe('errors of Brezel with status 501 or higher', () => {
  /** Codes whose messages contain only names and numbers that clients know or may know. */
  const shownCodes = [
    ...['ERR_RUNTIME_OVERLOADED', 'ERR_RUNTIME_DEADLINE', 'ERR_RUNTIME_QUARANTINED', 'ERR_RUNTIME_STUCK'],
    'ERR_RUNTIME_MEMORY',
    ...['ERR_RUNTIME_CLOSED', 'ERR_REGISTRY_NOT_LOADED', 'ERR_REGISTRY_QUARANTINED', 'ERR_REGISTRY_CLOSED'],
    ...['ERR_IMPORT_CLOSED', 'ERR_CLI_WORKER', 'ERR_GRPC_CLOSING', 'ERR_NATS_CLOSED', 'ERR_NATS_NO_SERVER'],
    ...['ERR_NATS_TIMEOUT', 'ERR_EXTERNAL_OVERLOADED', 'ERR_EXTERNAL_CLOSED', 'ERR_SELECTION_NO_ANSWER'],
    ...['ERR_HTTP_METRICS', 'ERR_HTTP_BUSY'],
  ];
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const table = [...page.matchAll(/^\| `(ERR_\w+)` \| (50[1-9]) \|/gm)].map(([, code, status]) => [
    code!,
    Number(status),
  ]) as [string, number][];

  test('are hidden, or contain no secrets', () => {
    expect(table.length).toBeGreaterThan(20);
    const isShown = ([code, statusCode]: readonly [string, number]) =>
      responseOfBrezelError(new BrezelError(code, { message: SECRET, hint: SECRET, statusCode })).message === SECRET;
    expect(
      table
        .filter(isShown)
        .map(([code]) => code)
        .sort(),
    ).toEqual(shownCodes.filter((code) => table.some(([known]) => known === code)).sort());
  });
});
