import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { type AddOptions, createFlour, createRegistry, importOnnx, type ModelRegistry } from 'brezel';
import type { FastifyInstance, InjectOptions } from 'fastify';
import fastify from 'fastify';
import { type InferenceOptions, inferenceRoutes } from '../dist/index.js';

/** The types of ONNX inputs that the echo model has, by name. */
const ECHOED = {
  text: [DataType.STRING, ['N']],
  words: [DataType.STRING, ['N', 2]],
  f32: [DataType.FLOAT, ['N', 2]],
  f64: [DataType.DOUBLE, ['N', 1]],
  i32: [DataType.INT32, ['N', 2]],
  i64: [DataType.INT64, ['N']],
  flag: [DataType.BOOL, ['N', 2]],
  grid: [DataType.FLOAT, ['N', 2, 2]],
} as const;

export type EchoInput = keyof typeof ECHOED;

/** Builds a model that returns its inputs, named in capitals. */
export function echoModel(...names: readonly EchoInput[]): Uint8Array {
  const input = names.map((name) => tensorInput(name, ECHOED[name][0], [...ECHOED[name][1]]));
  const node = names.map((name) => makeNode('Identity', [name], [name.toUpperCase()]));
  const output = input.map((port) => ({ ...port, name: port.name.toUpperCase() }));
  return writeModel(makeModel(makeGraph({ name: 'echo', input, output, node })));
}

/** Adds a model from ONNX bytes. The registry can load it again after an unload. */
export function addModel(
  registry: ModelRegistry,
  name: string,
  bytes: Uint8Array,
  version: number | string = 1,
  options: AddOptions = {},
) {
  const source = {
    async load() {
      using flour = await createFlour({ store: registry.store });
      return { plan: importOnnx(bytes, flour).program.plan() };
    },
  };
  return registry.add(name, source, { ...options, version });
}

/** An ONNX model that converts a float to an int64. */
export function castModel(): Uint8Array {
  const node = [makeNode('Cast', ['x'], ['y'], { to: { i: BigInt(DataType.INT64) } })];
  const [input, output] = [[tensorInput('x', DataType.FLOAT, ['N', 1])], [tensorInput('y', DataType.INT64, ['N', 1])]];
  return writeModel(makeModel(makeGraph({ name: 'cast', input, output, node }), { '': 17 }));
}

/** An ONNX model that answers any two numbers with `answer`. */
export const constantModel = (answer: number): Uint8Array => linearModel([0, 0], answer);

/** An ONNX model that answers two numbers with a weighted sum. */
export function linearModel(coefficients: readonly [number, number], answer: number): Uint8Array {
  const attributes = { coefficients: { floats: [...coefficients] }, intercepts: { floats: [answer] } };
  const node = [makeNode('LinearRegressor', ['x'], ['y'], attributes, 'ai.onnx.ml')];
  const [input, output] = [[tensorInput('x', DataType.FLOAT, ['N', 2])], [tensorInput('y', DataType.FLOAT, ['N', 1])]];
  return writeModel(makeModel(makeGraph({ name: 'constant', input, output, node }), { '': 17, 'ai.onnx.ml': 3 }));
}

/** Creates a registry, and a fastify instance that serves it. Both close together. */
export async function serving(
  add: (registry: ModelRegistry) => void,
  options: Partial<InferenceOptions> = {},
): Promise<{ readonly registry: ModelRegistry; readonly app: FastifyInstance; close(): Promise<void> }> {
  const registry = await createRegistry();
  add(registry);
  const app = fastify();
  app.register(inferenceRoutes, { registry, ...options });
  await app.ready();
  return {
    registry,
    app,
    async close() {
      await app.close();
      await registry.close();
    },
  };
}

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at the fields that they expect
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Sends a request without a socket. Objects become JSON. */
export async function send(app: FastifyInstance, request: InjectOptions): Promise<Answered> {
  const { statusCode, headers, payload } = await app.inject(request);
  const isJson = `${headers['content-type']}`.includes('application/json');
  return { status: statusCode, body: isJson ? JSON.parse(payload) : payload, headers };
}

export const post = (app: FastifyInstance, url: string, payload: InjectOptions['payload'], headers = {}) =>
  send(app, { method: 'POST', url, payload, headers });

export const get = (app: FastifyInstance, url: string, headers = {}) => send(app, { method: 'GET', url, headers });
