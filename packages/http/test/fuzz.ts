import { createSelection } from '@brezel/selection';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ModelRegistry } from 'brezel';
import fc from 'fast-check';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { addModel, constantModel, echoModel, get, post } from './models.js';

/** Statuses that the documentation of the server lists. */
const STATUSES: ReadonlySet<number> = new Set([200, 400, 401, 403, 404, 405, 409, 413, 414, 415, 429, 503, 504]);

export const addModels = (registry: ModelRegistry) => {
  addModel(registry, 'film', constantModel(1));
  addModel(registry, 'echo', echoModel('text', 'f32', 'i64', 'flag'));
};

/** A selection whose functions throw for most rows and truths. */
export const selections = {
  film: createSelection<{ readonly x: readonly number[] }, number>({
    candidates: { one: () => 1, sum: ({ x }) => x.reduce((sum, value) => sum + value) },
    features: ({ x }) => [x.length],
    loss: (truth, answer) => Math.abs(truth - answer),
    combine: 'mean',
  }),
};

const names = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('film', 'echo', 'film@1', 'film:default') },
  fc.constantFrom(
    '__proto__',
    'constructor',
    '..%2F..%2Fetc',
    '%00',
    'film%400',
    'film@',
    ':',
    'x'.repeat(600),
    'x'.repeat(5000),
  ),
  fc.string({ maxLength: 12 }).map((text) => encodeURIComponent(text.isWellFormed() ? text : 'x')),
);
const paths = fc.oneof(
  names.map((name) => `/predict/${name}`),
  fc
    .tuple(names, fc.constantFrom('', '/ready', '/infer', '/versions/1', '/versions/1/infer', '/versions/0/infer'))
    .map(([name, end]) => `/v2/models/${name}${end}`),
  fc.constantFrom(
    '/v2',
    '/v2/',
    '/v2/health/live',
    '/v2/health/ready',
    '/openapi.json',
    '/v2/repository/index',
    '/statistics',
    '/page',
  ),
  names.map((name) => `/select/${name}`),
  names.map((name) => `/feedback/${name}`),
  names.map((name) => `/page/models/${name}`),
  names.map((name) => `/page/contributions/${name}`),
  names.map((name) => `/v2/repository/models/${name}/load`),
  fc.webPath().map((path) => `/${path.replace(/^\/+/, '')}`),
);
const queries = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom(
    '?key=1',
    '?key=1&key=2',
    '?deadline_ms=0',
    '?deadline_ms=1e9',
    '?deadline_ms=1000',
    '?%',
    '?__proto__=1',
    '?context=a',
    '?context=a&context=b',
  ),
);

const values = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(2 ** 53, -0, '9223372036854775807', 'NaN', '-Infinity', null, true, '', '\0', '\ud800'),
  fc.string({ maxLength: 8 }),
  fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 3 })), { maxLength: 4 }),
);
const fields = fc.constantFrom('x', 'text', 'f32', 'i64', 'flag', 'toString', 'y');
const rows = fc.oneof(fc.dictionary(fields, values, { maxKeys: 5 }), fc.constant({ x: [1, 2] }), values);
const datatypes = fc.constantFrom(
  'FP32',
  'FP64',
  'FP16',
  'INT64',
  'UINT64',
  'INT8',
  'BOOL',
  'BYTES',
  'BF16',
  'toString',
);
const sizes = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 3 }) },
  fc.constantFrom(-1, 2 ** 53, 2 ** 31, 1.5, '1', null),
);
const parameters = fc.option(
  fc.dictionary(
    fc.constantFrom('binary_data_size', 'binary_data', 'binary_data_output', 'content_type', 'deadline_ms', 'key'),
    fc.oneof(fc.constantFrom(true, false, 'base64', 8, 4, 0, -1, 2 ** 40), values),
    { maxKeys: 2 },
  ),
  { nil: undefined },
);
const tensors = fc.record(
  {
    name: fields,
    datatype: datatypes,
    shape: fc.array(sizes, { maxLength: 3 }),
    data: fc.array(values, { maxLength: 6 }),
    parameters,
  },
  { requiredKeys: ['name'] },
);
const inferences = fc.record(
  {
    id: fc.oneof(fc.string(), fc.integer()),
    inputs: fc.oneof(
      fc.array(tensors, { maxLength: 4 }),
      fc.constant([{ name: 'x', datatype: 'FP32', shape: [1, 2], data: [1, 2] }]),
    ),
    outputs: fc.array(fc.record({ name: fc.constantFrom('y', 'TEXT', 'z'), parameters }), { maxLength: 2 }),
    parameters,
  },
  { requiredKeys: ['inputs'] },
);

/** Texts that are JSON, almost JSON, or something else. */
const bodies: fc.Arbitrary<string | Buffer> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.oneof(rows, fc.array(rows, { maxLength: 4 })).map((value) => JSON.stringify(value) ?? ''),
  },
  { weight: 3, arbitrary: inferences.map((value) => JSON.stringify(value)) },
  fc.tuple(inferences, fc.nat()).map(([value, cut]) => {
    const text = JSON.stringify(value);
    return text.slice(0, cut % (text.length + 1));
  }),
  fc.array(rows, { maxLength: 6 }).map((list) => list.map((row) => JSON.stringify(row)).join('\n')),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(inferences, fc.uint8Array({ maxLength: 40 }))
    .map(([value, bytes]) => Buffer.concat([Buffer.from(JSON.stringify(value)), bytes])),
  fc.nat({ max: 2000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.constantFrom('{"__proto__": {"x": [1, 2]}}', '{"constructor": {"prototype": 1}}', '', '{"x": [NaN, 1]}'),
);
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'application/x-ndjson',
      'application/octet-stream',
      'text/plain',
      'x',
    ),
    'inference-header-content-length': fc.oneof(
      fc.nat({ max: 200 }).map(String),
      fc.constantFrom('-1', 'x', '1e3', '9'.repeat(20)),
    ),
    origin: fc.constantFrom('http://localhost:80', 'null', 'http://other.example', '\u00ff'),
    authorization: fc.constantFrom('Bearer secret', 'Bearer ', 'x'),
  },
  { requiredKeys: ['content-type'] },
);

const JSON_TYPE = { 'content-type': 'application/json' };
const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 2, maxLength: 2 });
/** Requests that the server must answer, with random values. */
const valid: fc.Arbitrary<InjectOptions> = fc
  .oneof(
    floats.map((x) => ({ url: '/predict/film', payload: { x } })),
    fc.array(floats, { minLength: 1, maxLength: 4 }).map((data) => ({
      url: '/v2/models/film/infer',
      payload: { inputs: [{ name: 'x', datatype: 'FP32', shape: [data.length, 2], data }] },
    })),
    fc.tuple(fc.string({ unit: 'binary' }), floats).map(([text, f32]) => ({
      url: '/predict/echo@1',
      payload: [{ text, f32, i64: 1, flag: [true, false] }],
    })),
  )
  .map(({ url, payload }) => ({ method: 'POST' as const, url, headers: JSON_TYPE, payload: JSON.stringify(payload) }));

const anyRequests: fc.Arbitrary<InjectOptions> = fc
  .record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE'),
    path: paths,
    query: queries,
    payload: bodies,
    headers,
  })
  .map(({ method, path, query, payload, headers: sent }) => ({
    method: method as 'POST',
    url: `${path}${query}`,
    headers: sent,
    ...(method === 'GET' ? {} : { payload }),
  }));

const requests = fc.oneof(
  { weight: 3, arbitrary: anyRequests.map((request) => ({ request, isValid: false })) },
  { weight: 1, arbitrary: valid.map((request) => ({ request, isValid: true })) },
);

/**
 * Sends random requests. Throws if a response has an undocumented status or a body that does not
 * match the OpenAPI document, if a valid request fails, or if the server answers differently
 * afterwards.
 *
 * @returns how many responses had each status
 */
export async function fuzz(app: FastifyInstance, runs: number, seed: number): Promise<ReadonlyMap<number, number>> {
  for (const name of ['film', 'echo']) await get(app, `/v2/models/${name}`); // loads them
  const { body: document } = await get(app, '/openapi.json');
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, 'openapi');
  const isError = ajv.getSchema('openapi#/components/schemas/Error')!;
  const isResponse = ajv.getSchema('openapi#/components/schemas/InferenceResponse')!;
  const counts = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests, async ({ request, isValid }) => {
      const { statusCode, headers: received, payload } = await app.inject(request);
      counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
      if (isValid && statusCode !== 200) throw new Error(`a valid request got ${statusCode}: ${payload}`);
      if (!STATUSES.has(statusCode)) throw new Error(`status ${statusCode}: ${payload}`);
      const isJson = `${received['content-type']}`.startsWith('application/json');
      const body = isJson ? JSON.parse(payload) : undefined;
      if (statusCode >= 400 && !`${request.url}`.includes('/ready') && !isError(body))
        throw new Error(`no error body: ${payload}`);
      if (statusCode === 200 && isJson && /\/infer(\?|$)/.test(`${request.url}`) && !isResponse(body))
        throw new Error(`no response of the protocol: ${payload}`);
    }),
    { numRuns: runs, seed },
  );
  const { status, body } = await post(app, '/predict/film', { x: [1, 2] });
  if (status !== 200 || JSON.stringify(body) !== '{"y":[1]}')
    throw new Error('the server answers differently afterwards');
  return counts;
}
