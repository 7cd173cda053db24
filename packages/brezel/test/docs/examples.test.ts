import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as core from '@brezel/core';
import * as external from '@brezel/external';
import * as grpc from '@brezel/grpc';
import * as http from '@brezel/http';
import { Checksum, ObjectStore } from '@brezel/object-store';
import * as onnx from '@brezel/onnx';
import { instrumentRegistry, instrumentRuntime } from '@brezel/opentelemetry';
import { collectMetrics, collectRegistryMetrics, collectSelectionMetrics } from '@brezel/prom-client';
import * as selection from '@brezel/selection';
import { trace } from '@opentelemetry/api';
import * as brezel from 'brezel';
import { InferenceSession } from 'brezel/inference-session';
import { fastify } from 'fastify';
import { register } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpairedRatio } from '../../../cli/src/bench/statistics.js';
import { startServer } from '../../../external/test/servers.js';
import { lightGbmText } from '../../../gbdt/test/lightgbm-file.js';
import { asUbjson, xgboostDocument } from '../../../gbdt/test/xgboost-file.js';
import { archiveOf } from '../../../mlnet/test/archive-file.js';
import * as mlnet from '../../../mlnet/test/parts.js';
import { hasNatsServer } from '../../../nats/test/nats-server.js';
import { type NatsExamples, natsExamples } from './nats-examples.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Example {
  readonly at: string;
  readonly code: string;
}

/** Returns the `@example` blocks of all docstrings in the packages. */
function examples(): Example[] {
  const found: Example[] = [];
  for (const name of readdirSync(join(root, 'packages'))) {
    const folder = join(root, 'packages', name, 'src');
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.endsWith('.ts'),
    )) {
      const text = readFileSync(join(folder, file), 'utf8');
      for (const match of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
        const lines = match[0]
          .replace(/^\/\*\*|\*\/$/g, '')
          .split('\n')
          .map((line) => line.replace(/^\s*\* ?/, ''));
        const comment = lines.join('\n');
        for (const example of comment.matchAll(/@example\b([\s\S]*?)(?=\n@|$)/g)) {
          const line = text.slice(0, match.index).split('\n').length;
          found.push({ at: `${name}/${file}:${line}`, code: example[1]!.trim() });
        }
      }
    }
  }
  return found;
}

/** Models in other formats than ONNX. */
const files: Readonly<Record<string, Buffer>> = {
  'model.txt': Buffer.from(lightGbmText({ features: 1, targets: 1, trees: [1] })),
  'model.ubj': asUbjson(xgboostDocument({ features: 1, trees: [1] })),
  'pipeline.json': readFileSync(join(root, 'packages/scikit-learn/test/models/churn.json')),
  'scorecard.pmml': readFileSync(join(root, 'packages/pmml/test/models/scorecard.pmml')),
  'model.zip': archiveOf([mlnet.regression('X', mlnet.linear('LinearRegressionExec', [1], 0))], { X: 'Single' }),
};

const folder = mkdtempSync(join(tmpdir(), 'brezel-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The variables that examples may use without a declaration. */
async function surroundings(): Promise<Record<string, unknown>> {
  const flour = await brezel.createFlour();
  const { store } = flour;
  const terms = [['good'], ['bad']];
  const text = flour.columns({ text: 'string' }).select('text');
  const counts = text.tokenize().wordNgram({ vocabulary: terms });
  const [weights, bias] = [[1, -1], 0.5];
  const scores = counts.linear({ weights: [1, -1, 2, 0.5], bias: [0, 1] });
  const one = (gram: string[]) => text.tokenize().wordNgram({ vocabulary: [gram] });
  const program = flour.program({ output: counts.logistic({ weights, bias }) });
  const leaf = (value: number) => Int32Array.of(value);
  const forest = {
    feature: leaf(0),
    threshold: Float32Array.of(0),
    mode: leaf(6),
    trueChild: leaf(0),
    falseChild: leaf(0),
    missingTrue: leaf(0),
    roots: leaf(0),
    leafStart: Int32Array.of(0, 1),
    leafTarget: leaf(0),
    leafWeight: Float32Array.of(1),
    base: Float32Array.of(0),
  };
  const general = {
    ...forest,
    threshold: Float64Array.of(0),
    leafWeight: Float64Array.of(1),
    base: Float64Array.of(0),
    memberStart: Int32Array.of(0, 0),
    members: new Float64Array(),
  };
  const graph = onnx.makeGraph({
    node: [onnx.makeNode('Identity', ['x'], ['y'])],
    input: [onnx.tensorInput('x', onnx.DataType.FLOAT, ['N', 2])],
    output: [onnx.tensorInput('y', onnx.DataType.FLOAT, ['N', 2])],
  });
  const model = onnx.writeModel(onnx.makeModel(graph));
  const tensor = onnx.writeTensorProto(
    onnx.writeElements('x', { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) }),
  );
  const dataSet = join(folder, 'test_data_set_0');
  mkdirSync(dataSet, { recursive: true });
  for (const name of ['input_0.pb', 'output_0.pb']) writeFileSync(join(dataSet, name), tensor);
  const shouting = brezel.defineOperator({
    name: 'docs/shouting',
    inputs: ['text'],
    output: 'float32',
    run: (text) => text.length,
    replace: true,
  });
  const distance = brezel.defineOperator({
    name: 'docs/distance',
    inputs: ['float32[2]', 'float32[2]'],
    output: 'float32',
    attributes: { unit: 'm' },
    run: (here, there) => Math.hypot(here[0]! - there[0]!, here[1]! - there[1]!),
    replace: true,
  });
  const place = (name: string) => flour.input(name, brezel.vector('float32', 2));
  const runtime = brezel.createRuntime({ store });
  const compiled = program.plan();
  const { stage } = place('y').linear({ weights, bias }).plan().stages[0]!;
  await brezel.packFleet([compiled], join(folder, 'fleet.brezel'), { store });
  const registry = await brezel.createRegistry({ runtime });
  registry.add('sentiment', compiled, { version: 1, aliases: ['production'] });
  registry.add('reviews', compiled);
  return {
    folder,
    registry,
    ...core,
    ...onnx,
    ...brezel,
    InferenceSession,
    stage,
    ObjectStore,
    Checksum,
    flour,
    store,
    runtime,
    program,
    text,
    reviews: text,
    shouting,
    distance,
    here: place('here'),
    there: place('there'),
    counts,
    features: counts,
    logits: scores,
    scores,
    probabilities: scores.softmax(),
    words: one(['good']),
    chars: one(['bad']),
    terms,
    graph,
    weights,
    bias,
    forest,
    general,
    compiled,
    plan: runtime.register(compiled),
    armA: runtime.register(compiled),
    armB: runtime.register(compiled),
    ensemble: [runtime.register(compiled)],
    unpairedRatio,
    row: { text: 'good' },
    ...http,
    ...grpc,
    ...selection,
    externalPredictor: connected,
    processPredictor: connected,
    predictor: await connected(),
    fastify,
    collectMetrics,
    collectRegistryMetrics,
    collectSelectionMetrics,
    register,
    instrumentRegistry,
    instrumentRuntime,
    candidates: { a: () => 1, b: () => 0 },
    loss: (truth: number, answer: number) => Math.abs(truth - answer),
    fallback: 0.5,
    database: { exec() {}, prepare: () => ({ get() {}, run() {} }) },
    client: { get: async () => null, eval: async () => 1 },
    lines: ['prediction", "probabilities": {"a": 1}', 'feedback", "losses": {"a": 1}, "loss": 1'].map(
      (rest) => `{"query": "q", "kind": "${rest}}`,
    ),
    tracer: trace.getTracer('docs'),
    response: { end() {} },
    bytes: model,
    checksum: 'docs',
    readFileSync: (name: string) => files[name] ?? model,
    readFile: async (name: string) => (name.endsWith('.pb') ? tensor : model),
    writeFile: async () => {},
    console: { log() {}, error() {} },
  };
}

/** A server of the model `sums`, for the examples of external predictors. */
const modelServer = await startServer();
const predictors: external.ExternalPredictor[] = [];
afterAll(async () => {
  for (const predictor of predictors) await predictor.close();
  await modelServer.close();
});

/** Connects to the model server of this test instead of the server in the example. */
async function connected(options: Partial<external.ExternalOptions> = {}): Promise<external.ExternalPredictor> {
  const predictor = await external.externalPredictor({ model: options.model ?? 'sums', urls: [modelServer.url] });
  predictors.push(predictor);
  return predictor;
}

describe('examples in docstrings', () => {
  const all = examples();
  let nats: NatsExamples | undefined;
  beforeAll(async () => {
    if (hasNatsServer) nats = await natsExamples(folder);
  });
  afterAll(() => nats?.close());
  it('exist', () => expect(all.length).toBeGreaterThan(30));
  for (const { at, code } of all) {
    const needsNats = at.startsWith('nats/');
    it.skipIf(!hasNatsServer && needsNats)(`${at}: ${code.split('\n')[0]!.slice(0, 80)}`, async () => {
      const names = await surroundings();
      if (needsNats) Object.assign(names, await nats!.names((names.registry as brezel.ModelRegistry).store));
      const declared = [...code.matchAll(/\bconst (?:\{ (\w+)[^}]*\}|(\w+))/g)].flatMap(([, a, b]) => [a, b]);
      const given = Object.keys(names).filter((name) => !declared.includes(name));
      const AsyncFunction = (async () => {}).constructor as new (
        ...parts: string[]
      ) => (...values: unknown[]) => Promise<unknown>;
      const body = /^(const|try|import|for|throw|export)\b/.test(code) ? code : `return ${code}`;
      await new AsyncFunction(...given, `"use strict"; ${body}`)(...given.map((name) => names[name]));
    });
  }
});
