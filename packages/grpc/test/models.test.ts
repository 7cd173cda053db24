import { createRegistry, type ModelRegistry } from 'brezel';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { inferenceRoutes } from '../../http/dist/index.js';
import { post } from '../../http/test/models.js';
import { startGrpcServer } from '../dist/index.js';
import { type Message, ownProto, publishedProto, TestClient } from './client.js';

const root = new URL('../../../', import.meta.url);
const own = (name: string) => `packages/brezel/test/corpus/own/${name}/model.onnx`;

/** Models with texts, numbers, integers, several outputs and a map. */
const MODELS: readonly [name: string, file: string][] = [
  ['text', 'examples/models/sa-fam-a-00.onnx'],
  ['gnb', own('num-iris-gnb')],
  ['zipmap', own('num-iris-logreg-zipmap-strings')],
  ['kmeans', own('num-iris-kmeans')],
  ['case', own('syn-text-case')],
];

const registry: ModelRegistry = await createRegistry();
for (const [name, file] of MODELS) registry.add(name, new URL(file, root).pathname);
const server = await startGrpcServer({ registry, port: 0 });
const client = new TestClient(server.address, publishedProto ?? ownProto);
const app: FastifyInstance = fastify();
app.register(inferenceRoutes, { registry, metrics: false });
afterAll(async () => {
  client.close();
  await Promise.all([server.close(), app.close()]);
  await registry.close();
});

/** Elements of each datatype that the inputs of these models have. */
const ELEMENTS: Readonly<Record<string, (count: number) => unknown[]>> = {
  FP32: (count) => Array.from({ length: count }, (_, index) => (index % 7) + 0.25),
  FP64: (count) => Array.from({ length: count }, (_, index) => (index % 7) + 0.25),
  INT64: (count) => Array.from({ length: count }, (_, index) => index % 5),
  BYTES: (count) => Array.from({ length: count }, (_, index) => ['A good film', 'na\u00efve ending'][index % 2]),
};
const FIELDS: Readonly<Record<string, string>> = {
  FP32: 'fp32_contents',
  FP64: 'fp64_contents',
  INT64: 'int64_contents',
  BYTES: 'bytes_contents',
};

describe(`a client of ${publishedProto === undefined ? 'our' : 'the published'} definition`, () => {
  test.each(MODELS.map(([name]) => name))('gets the answers of HTTP: %s', async (name) => {
    const { inputs: ports } = await client.call('ModelMetadata', { name });
    const tensors = ports.map(({ name: input, datatype, shape }: Message) => {
      const sizes = shape.map((size: string) => (size === '-1' ? 2 : Number(size)));
      const data = ELEMENTS[datatype]!(sizes.reduce((product: number, size: number) => product * size, 1));
      return { name: input, datatype, shape: sizes, data };
    });
    const { body } = await post(app, `/v2/models/${name}/infer`, { inputs: tensors });
    expect(body.error).toBeUndefined();
    const inputs = tensors.map(({ data, ...tensor }: Message) => {
      const elements = tensor.datatype === 'BYTES' ? data.map((text: string) => Buffer.from(text)) : data;
      return { ...tensor, contents: { [FIELDS[tensor.datatype]!]: elements } };
    });
    const { outputs } = await client.call('ModelInfer', { model_name: name, inputs });
    expect(outputs.length).toBe(body.outputs.length);
    for (const [index, { name: output, datatype, shape, contents }] of outputs.entries()) {
      const expected = body.outputs[index];
      expect([output, datatype, shape.map(Number)]).toEqual([expected.name, expected.datatype, expected.shape]);
      const elements = contents[FIELDS[datatype]!].map((element: unknown) =>
        datatype === 'BYTES' ? `${element}` : Number(element),
      );
      expect(elements).toEqual(expected.data);
    }
  });
});
