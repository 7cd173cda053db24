import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFlour, explain, type Flow } from 'brezel';
import { expect, test } from 'vitest';
import { expectGolden as expectGoldenFile } from '../../../testing/golden.js';
import { hasNatsServer } from '../../nats/test/nats-server.js';
import { root, runScript } from './brezel.js';

const example = async (args: readonly string[], input?: string) => {
  const { code, out, err } = await runScript('scripts/run-example.mjs', args, input);
  expect(err).toBe('');
  expect(code).toBe(0);
  return out;
};

const expectGolden = (file: string, text: string) => expectGoldenFile(pathToFileURL(join(root, file)), text);

test('listing-1 predicts', async () => {
  const out = await example(['listing-1']);
  expect(out.match(/^(positive|negative) +0\.\d{3} /gm)).toEqual([
    'positive  0.961 ',
    'negative  0.057 ',
    'negative  0.052 ',
    'positive  0.917 ',
  ]);
});

test('the plan of listing-1 is unchanged', async () => {
  const { sentiment } = await import(join(root, 'examples/dist/listing-1/program.js'));
  using flour = await createFlour();
  expectGolden('examples/listing-1/plan.golden', `${explain(sentiment(flour))}\n`);
});

test('import-onnx predicts into an array', async () => {
  expect(await example(['import-onnx'])).toMatch(/probabilities out\[1\.\.2\] +0\.\d+,0\.\d+/);
});

test('web-page packs a model and starts its server', async () => {
  expect(await example(['web-page'])).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/ and type a review\.$/m);
});

test('custom-operator predicts', async () => {
  const out = await example(['custom-operator']);
  expect(out).toMatch(/^stages 2, 3 run in JavaScript: operators without a kernel$/m);
  expect(out.match(/^(calm|angry) +0\.\d{3} /gm)).toEqual(['calm   0.119 ', 'angry  0.989 ', 'calm   0.119 ']);
  expect(out).toContain('ERR_RUNTIME_INPUT: a row does not fit the schema of the plan at row 1: the dates "last week"');
});

test('observability shows spans, a quarantine and metrics', async () => {
  const out = await example(['observability']);
  expect(out).toContain(
    'POST /reviews\n  predictBatch film (request-response: few rows of little work)\n  predict film (request-response: a short row)\n',
  );
  expect(out).toContain('  3 ERR_RUNTIME_CUSTOM\n  7 ERR_RUNTIME_QUARANTINED\nThe other answers 0.881.\n');
  expect(out).toContain('brezel_calls_total{plan="review",outcome="quarantined"} 7\n');
  expect(out).toContain('brezel_operator_failures_total{plan="review",operator="example/reviewed"} 3\n');
  expect(out).toContain('brezel_plan_resting{plan="review"} 1\n');
  expect(out).toContain('brezel_prediction_rows_total{plan="film",verb="predictBatch",engine="request-response"} 2\n');
});

test('server answers rows, streams, tensors and gRPC, changes models, and runs in several processes', async () => {
  const out = await example(['server']);
  expect(out).toMatch(
    /^listening on http:\/\/127\.0\.0\.1:\d+, grpc: 127\.0\.0\.1:\d+\nsentiment@1 answers label 1\nstream: label 1, then ERR_/,
  );
  expect(out).toContain('tensors: {"name":"label","shape":[2],"datatype":"INT64","data":[0,0]}\n');
  expect(out).toContain('binary tensors: labels 0, 0\ngRPC: labels 0, 0\n');
  expect(out).toContain('without the token: 401\nnow sentiment@2 answers\nindex: 1 UNAVAILABLE, 2 READY\n');
  expect(out).toMatch(/OpenAPI 3\.1\.0 describes all routes\nmetrics: brezel_http_request_seconds_count.* 3\n/);
  expect(out).toMatch(/statistics: 0 failed requests\nthe page: <title>.+<\/title>\n2 processes answer label 1\n$/);
});

test('model-registry runs the functions of a registry', async () => {
  const out = await example(['model-registry']);
  expect(out).toMatch(/^[1-9] of 10 models are in memory, 1\.\d MB:$/m);
  expect(out).toMatch(/^(8|9|10|11|12)\d of 1000 users are canaries$/m);
  expect(out).toMatch(/tenant-0 is tenant-0@2\n.*tenant-0@1 again\n/);
  expect(out).toMatch(/^refused: not a valid ONNX model.*\nspam answers [01]$/m);
});

test('the demo runs with and without texts, and ends by itself', async () => {
  const [own, given, piped] = await Promise.all([
    example(['fleet']),
    example(['fleet', 'a good film', 'what a bore 😀']),
    example(['fleet'], 'one line\n\nanother line\n'),
  ]);
  for (const out of [own, given, piped]) {
    expect(out).toMatch(/2 of 3 stages are the same in all 10 models/);
    expect(out).toMatch(/a later prediction +\d/);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(out).toMatch(/onnxruntime-node is left out: |Answers: (\d+) of \1 labels equal/);
  }
  expect(own.match(/(positive|negative) 0\.\d\d /g)).toHaveLength(6);
  expect(given).toContain('what a bore 😀\n');
  expect(piped.match(/(positive|negative) 0\.\d\d /g)).toHaveLength(2);
});

test('text-plus-neural gives the same answers on every backend of its head', async () => {
  const out = await example(['text-plus-neural', 'onnxruntime', 'tfjs', 'own']);
  const heads = out.split(/^The head runs on /m).slice(1);
  const places = heads.map((text) => text.split(/[ ,]/, 1)[0]);
  const installed = ['onnxruntime-node', '@tensorflow/tfjs', 'layers'].filter((place) => places.includes(place));
  expect(places).toEqual(installed);
  expect(heads.length).toBe(3 - (out.match(/ is left out: /g) ?? []).length);
  for (const text of heads)
    expect(text.match(/^ {2}0\.\d{3}/gm)?.map(Number)).toEqual([0.953, 0.047, 0.881, 0.018, 0.5]);
});

test('text-plus-neural is one plan, and a backend runs one of its stages', async () => {
  const { pipeline } = await import(join(root, 'examples/dist/text-plus-neural/program.js'));
  using flour = await createFlour();
  const model = { format: 'tfjs-layers', path: 'models/head', checksum: 'head' } as const;
  const program = pipeline(flour, (features: Flow<'vector'>) => features.blackBox(model, { size: 1 }));
  expectGolden('examples/text-plus-neural/plan.golden', `${explain(program)}\n`);
});

test('an unknown example is rejected, with a list of the examples', async () => {
  const { code, err } = await runScript('scripts/run-example.mjs', ['pie']);
  expect(code).toBe(2);
  expect(err).toContain(
    'churn-csv, cluster, cluster-fleet, custom-operator, express-service, fastify-service, fleet, from-onnxruntime, import-onnx, lambda-bundle, listing-1, model-registry, nats-cluster, observability, selection, server, text-plus-neural',
  );
});

test('churn-csv scores a table in a stream', async () => {
  const out = await example(['churn-csv', '2000']);
  expect(out).toMatch(/^10 %\n20 %\n(.*\n)*100 %\n2000 customers scored, 1005 will probably leave\n$/);
});

test('cluster-fleet serves one file in two processes', async () => {
  const out = await example(['cluster-fleet']);
  const worker = '10 models of one file, 9 say positive';
  expect(out).toBe(`worker 1: ${worker}\nworker 2: ${worker}\nall workers stopped\n`);
});

test('from-onnxruntime answers as onnxruntime-node does after one import line has changed', async () => {
  const [before, after] = ['before.ts', 'after.ts'].map((file) =>
    readFileSync(join(root, 'examples/from-onnxruntime', file), 'utf8'),
  );
  expect(after).toBe(before!.replace("'onnxruntime-node'", "'brezel/inference-session'"));
  const [brezel, onnxruntime] = (await example(['from-onnxruntime'])).trim().split('\n');
  const answers = '0 (0.9832)  1 (0.9243)  2 (0.9961)';
  expect(brezel).toBe(`brezel/inference-session  ${answers}`);
  if (!onnxruntime!.startsWith('onnxruntime-node is left out: '))
    expect(onnxruntime).toBe(`onnxruntime-node          ${answers}`);
});

test('lambda-bundle calls its handler', async () => {
  expect(await example(['lambda-bundle'])).toBe('a charming little film: positive\na waste of time: negative\n');
});

test.skipIf(!hasNatsServer)('nats-cluster answers every request while a server is killed', async () => {
  const out = await example(['nats-cluster']);
  expect(out).toContain('equal answers: true\n2000 requests while a server was killed: 0 errors\n');
  expect(out.match(/ \d+\.\d us$/gm)?.length).toBe(4);
});
