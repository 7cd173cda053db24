import { createRegistry } from 'brezel';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inferenceRoutes } from '../../http/dist/index.js';
import { addModel, castModel, constantModel, echoModel, linearModel, post } from '../../http/test/models.js';
import { type RunningGrpcServer, startGrpcServer } from '../dist/index.js';
import { file_inference, GRPCInferenceService } from '../src/generated/inference_pb.js';
import { failure, fieldsOf, type Message, ownProto, publishedProto, serviceOf, TestClient } from './client.js';

const registry = await createRegistry();
addModel(registry, 'echo', echoModel('text', 'words', 'f32', 'f64', 'i32', 'i64', 'flag', 'grid'));
addModel(registry, 'cast', castModel());
addModel(registry, 'sum', linearModel([3, 5], 1));
addModel(registry, 'film', constantModel(1), 1);
addModel(registry, 'film', constantModel(2), 2);
const app = fastify();
app.register(inferenceRoutes, { registry, metrics: false });
let server: RunningGrpcServer;
let client: TestClient;
beforeAll(async () => {
  server = await startGrpcServer({ registry, port: 0, maxRows: 5000, logError: () => undefined });
  client = new TestClient(server.address);
});
afterAll(async () => {
  client.close();
  await Promise.all([server.close(), app.close()]);
  await registry.close();
});

const STATUS = { INVALID_ARGUMENT: 3, DEADLINE_EXCEEDED: 4, NOT_FOUND: 5, RESOURCE_EXHAUSTED: 8 } as const;
const x = (...rows: number[][]) => [
  { name: 'x', datatype: 'FP32', shape: [rows.length, 2], contents: { fp32_contents: rows.flat() } },
];
const infer = (request: object, options = {}) =>
  client.call('ModelInfer', { model_name: 'film', ...request }, options) as Promise<Message>;
const bytes = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const texts = (...list: string[]) =>
  Buffer.concat(
    list.map((text) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(text));
      return Buffer.concat([length, Buffer.from(text)]);
    }),
  );

describe('the definition', () => {
  const shape = (file: string) =>
    Object.fromEntries(
      Object.entries(serviceOf(file).service).map(([name, method]) => [
        name,
        { path: method.path, request: method.requestStream, response: method.responseStream },
      ]),
    );

  test('has the names, field numbers and types that are published', (context) => {
    if (publishedProto === undefined) return context.skip('shared/oip is not beside this repository');
    const [own, published] = [fieldsOf(ownProto), fieldsOf(publishedProto)];
    expect(published.size).toBeGreaterThan(50);
    for (const [field, type] of published) expect([field, own.get(field)]).toEqual([field, type]);
    expect(shape(ownProto)).toMatchObject(shape(publishedProto));
  });

  test('is the definition from which the code of the server was generated', () => {
    const own = fieldsOf(ownProto);
    const seen = file_inference.messages.flatMap(function fields(message): string[] {
      return [
        ...message.fields.map((field) => `${message.typeName}.${field.name} = ${field.number}`),
        ...message.nestedMessages.flatMap(fields),
      ];
    });
    expect(seen.sort()).toEqual([...own.keys()].sort());
    expect(GRPCInferenceService.methods.map(({ name }) => name)).toEqual(Object.keys(shape(ownProto)));
  });
});

describe('health and metadata', () => {
  test('the server is live and ready', async () => {
    expect(await client.call('ServerLive')).toEqual({ live: true });
    expect(await client.call('ServerReady')).toEqual({ ready: true });
    expect(await client.call('ServerMetadata')).toMatchObject({
      name: 'brezel',
      extensions: expect.arrayContaining(['model_repository']),
    });
  });

  test('a model is ready once it is loaded', async () => {
    addModel(registry, 'late', constantModel(3));
    expect(await client.call('ModelReady', { name: 'late' })).toEqual({ ready: false });
    await registry.load('late');
    expect(await client.call('ModelReady', { name: 'late', version: '1' })).toEqual({ ready: true });
    expect(await failure(client.call('ModelReady', { name: 'late', version: '2' }))).toMatchObject({
      status: STATUS.NOT_FOUND,
    });
  });

  test('the metadata of a model lists tensors with datatypes and shapes', async () => {
    const metadata = await client.call('ModelMetadata', { name: 'echo' });
    expect(metadata).toMatchObject({ name: 'echo', versions: ['1'], platform: 'brezel_plan' });
    expect(metadata.inputs).toContainEqual({ name: 'grid', datatype: 'FP32', shape: ['-1', '2', '2'] });
    expect(metadata.outputs).toContainEqual({ name: 'TEXT', datatype: 'BYTES', shape: ['-1'] });
    expect((await client.call('ModelMetadata', { name: 'film', version: '2' })).versions).toEqual(['1', '2']);
  });
});

/** Two rows of the echo model: each tensor as typed contents and as raw contents. */
const tensors = [
  ['text', 'BYTES', [2], { bytes_contents: [Buffer.from('na\u00efve'), Buffer.from('')] }, texts('na\u00efve', '')],
  [
    'words',
    'BYTES',
    [2, 2],
    { bytes_contents: ['a', 'b', 'c', '\u{1f600}'].map((word) => Buffer.from(word)) },
    texts('a', 'b', 'c', '\u{1f600}'),
  ],
  [
    'f32',
    'FP32',
    [2, 2],
    { fp32_contents: [0.5, Number.NaN, Number.NEGATIVE_INFINITY, -0] },
    bytes(Float32Array.of(0.5, Number.NaN, Number.NEGATIVE_INFINITY, -0)),
  ],
  ['f64', 'FP64', [2, 1], { fp64_contents: [0.1, 1e300] }, bytes(Float64Array.of(0.1, 1e300))],
  [
    'i32',
    'INT32',
    [2, 2],
    { int_contents: [1, -2, 2 ** 31 - 1, -(2 ** 31)] },
    bytes(Int32Array.of(1, -2, 2 ** 31 - 1, -(2 ** 31))),
  ],
  [
    'i64',
    'INT64',
    [2],
    { int64_contents: ['9007199254740991', '-9223372036854775808'] },
    bytes(BigInt64Array.of(2n ** 53n - 1n, -(2n ** 63n))),
  ],
  ['flag', 'BOOL', [2, 2], { bool_contents: [true, false, true, false] }, Uint8Array.of(1, 0, 1, 0)],
  [
    'grid',
    'FP32',
    [2, 2, 2],
    { fp32_contents: [1, 2, 3, 4, 5, 6, 7, 8] },
    bytes(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)),
  ],
] as const;

describe('ModelInfer', () => {
  test('answers typed contents of every type of tensor with typed contents, and echoes the id', async () => {
    const inputs = tensors.map(([name, datatype, shape, contents]) => ({ name, datatype, shape, contents }));
    const response = await infer({ model_name: 'echo', id: '42', inputs });
    expect(response).toMatchObject({ model_name: 'echo', model_version: '1', id: '42', raw_output_contents: [] });
    for (const [index, [name, datatype, shape, contents]] of tensors.entries()) {
      const output = response.outputs[index];
      expect(output).toMatchObject({ name: name.toUpperCase(), datatype, shape: shape.map(String) });
      for (const [field, elements] of Object.entries(output.contents))
        expect(elements, `${name} ${field}`).toEqual((contents as Record<string, unknown>)[field] ?? []);
    }
  });

  test('answers raw contents with raw contents of the same bytes', async () => {
    const inputs = tensors.map(([name, datatype, shape]) => ({ name, datatype, shape }));
    const raw = tensors.map(([, , , , content]) => content);
    const response = await infer({ model_name: 'echo', inputs, raw_input_contents: raw });
    expect(response.outputs.map(({ contents }: Message) => contents)).toEqual(raw.map(() => null));
    expect(response.raw_output_contents.map((content: Uint8Array) => Buffer.from(content))).toEqual(
      raw.map((content) => Buffer.from(content)),
    );
  });

  /**
   * The model answers a and b with 3 a + 5 b + 1. Each item: datatype, both contents, and the
   * answer.
   */
  const ofDatatypes: [string, object, ArrayBufferView, number][] = [
    ['UINT8', { uint_contents: [1, 255] }, Uint8Array.of(1, 255), 1279],
    ['UINT16', { uint_contents: [1, 65_535] }, Uint16Array.of(1, 65_535), 327_679],
    ['UINT32', { uint_contents: [1, 2 ** 31] }, Uint32Array.of(1, 2 ** 31), 10_737_418_240],
    ['UINT64', { uint64_contents: [1, 2] }, BigUint64Array.of(1n, 2n), 14],
    ['INT8', { int_contents: [1, -128] }, Int8Array.of(1, -128), -636],
    ['INT16', { int_contents: [1, -32_768] }, Int16Array.of(1, -32_768), -163_836],
    ['INT32', { int_contents: [1, -4] }, Int32Array.of(1, -4), -16],
    ['INT64', { int64_contents: [1, -4] }, BigInt64Array.of(1n, -4n), -16],
    ['FP16', {}, Uint16Array.of(0x3c00, 0xc000), -6],
    ['FP32', { fp32_contents: [1, 2] }, Float32Array.of(1, 2), 14],
    ['FP64', { fp64_contents: [1, 2] }, Float64Array.of(1, 2), 14],
  ];
  test.each(ofDatatypes)('%s: both forms have the answer of HTTP', async (datatype, contents, raw, answer) => {
    const data = Object.values(contents)[0] ?? [1, -2];
    const tensor = { name: 'x', datatype, shape: [1, 2] };
    const http = await post(app, '/v2/models/sum/infer', { inputs: [{ ...tensor, data }] });
    expect(http.body.outputs[0].data).toEqual([answer]);
    const model_name = 'sum';
    const binary = await infer({ model_name, inputs: [tensor], raw_input_contents: [bytes(raw)] });
    expect(Buffer.from(binary.raw_output_contents[0])).toEqual(bytes(Float32Array.of(answer)));
    if (datatype === 'FP16') return; // FP16 has no typed contents
    const typed = await infer({ model_name, inputs: [{ ...tensor, contents }] });
    expect(typed.outputs[0].contents.fp32_contents).toEqual([answer]);
  });

  test('the largest float32 is an answer of a model with short answers', async () => {
    addModel(registry, 'short', echoModel('f32'), 1, { answers: { float32: 'short' } });
    const fp32_contents = [3.4028234663852886e38, -3.4028234663852886e38];
    const inputs = [{ name: 'f32', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents } }];
    expect((await infer({ model_name: 'short', inputs })).outputs[0].contents.fp32_contents).toEqual(fp32_contents);
  });

  test('BOOL does not fit numbers, in any form over HTTP and gRPC', async () => {
    const tensor = { name: 'x', datatype: 'BOOL', shape: [1, 2] };
    const json = await post(app, '/v2/models/sum/infer', { inputs: [{ ...tensor, data: [true, false] }] });
    expect([json.status, json.body.code]).toEqual([400, 'ERR_RUNTIME_INPUT']);
    const head = JSON.stringify({ inputs: [{ ...tensor, parameters: { binary_data_size: 2 } }] });
    const binary = await post(app, '/v2/models/sum/infer', Buffer.concat([Buffer.from(head), Buffer.of(1, 0)]), {
      'inference-header-content-length': `${head.length}`,
    });
    expect([binary.status, binary.body.code]).toEqual([400, 'ERR_RUNTIME_INPUT']);
    for (const form of [
      { inputs: [{ ...tensor, contents: { bool_contents: [true, false] } }] },
      { inputs: [tensor], raw_input_contents: [Buffer.of(1, 0)] },
    ])
      expect(await failure(infer({ model_name: 'sum', ...form }))).toMatchObject({
        status: STATUS.INVALID_ARGUMENT,
        code: 'ERR_RUNTIME_INPUT',
      });
    const other = { inputs: [tensor], raw_input_contents: [Buffer.of(1, 2)] };
    expect(await failure(infer({ model_name: 'sum', ...other }))).toMatchObject({ code: 'ERR_GRPC_BINARY' });
  });

  test('counts texts and rows before it reads them', async () => {
    const text = { name: 'text', datatype: 'BYTES', shape: [1] };
    const many = Buffer.alloc(2 ** 22);
    const wrong = { inputs: [text], raw_input_contents: [many] };
    expect(await failure(infer({ model_name: 'echo', ...wrong }))).toMatchObject({
      code: 'ERR_GRPC_TENSOR',
      message: expect.stringContaining('received 1048576'),
    });
    const large = { inputs: [{ ...text, shape: [2 ** 20] }], raw_input_contents: [many] };
    expect(await failure(infer({ model_name: 'echo', ...large }))).toMatchObject({ code: 'ERR_GRPC_ROWS' });
  });

  test('returns only the requested outputs, in the requested order', async () => {
    const inputs = tensors.map(([name, datatype, shape, contents]) => ({ name, datatype, shape, contents }));
    const { outputs } = await infer({ model_name: 'echo', inputs, outputs: [{ name: 'I64' }, { name: 'TEXT' }] });
    expect(outputs.map(({ name }: Message) => name)).toEqual(['I64', 'TEXT']);
  });

  test('saturates int64 as HTTP does, and accepts no rows', async () => {
    const one = [{ name: 'x', datatype: 'FP32', shape: [2, 1], contents: { fp32_contents: [1e30, -1e30] } }];
    const { outputs } = await infer({ model_name: 'cast', inputs: one });
    expect(outputs[0].contents.int64_contents).toEqual(['9223372036854775807', '-9223372036854775808']);
    expect((await infer({ inputs: x() })).outputs[0]).toMatchObject({ shape: ['0', '1'] });
  });

  test('uses the version, the alias and the canary of a key', async () => {
    const answerOf = async (request: object) =>
      (await infer({ inputs: x([1, 2]), ...request })).outputs[0].contents.fp32_contents[0];
    expect(await answerOf({})).toBe(1);
    expect(await answerOf({ model_version: '2' })).toBe(2);
    registry.setAlias('film:next', 2);
    expect(await answerOf({ model_name: 'film:next' })).toBe(2);
    registry.canary('film', { to: 2, percent: 100 });
    expect(await answerOf({ parameters: { key: { string_param: 'user 7' } } })).toBe(2);
    expect(await answerOf({ parameters: { key: { int64_param: 7 } } })).toBe(2);
    registry.rollback('film');
  });

  test('takes the deadline from the parameters', async () => {
    const inputs = x([1, 2]);
    const late = (value: object) =>
      infer({ inputs: x(...Array.from({ length: 5000 }, () => [1, 2])), parameters: { deadline_ms: value } });
    expect((await infer({ inputs, parameters: { deadline_ms: { int64_param: 60_000 } } })).outputs).toHaveLength(1);
    expect(await failure(late({ double_param: 1e-6 }))).toMatchObject({
      status: STATUS.DEADLINE_EXCEEDED,
      code: 'ERR_RUNTIME_DEADLINE',
    });
  });
});

describe('a request that does not fit', () => {
  const tensor = { name: 'x', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents: [1, 2] } };
  const plain = { name: 'x', datatype: 'FP32', shape: [1, 2] };
  const bytesOf = (...lists: number[][]) => lists.map((list) => Uint8Array.from(list));
  test.each([
    ['no inputs', {}, 'TENSOR', /"x" of FP32, received nothing/],
    ['an unknown input', { inputs: [{ ...tensor, name: 'z' }] }, 'TENSOR', /the inputs "x", received "z"/],
    ['an input of a prototype', { inputs: [{ ...tensor, name: '__proto__' }] }, 'TENSOR', /the inputs "x"/],
    ['an input twice', { inputs: [tensor, tensor] }, 'REQUEST', /"x" twice/],
    ['an unknown output', { inputs: [tensor], outputs: [{ name: 'z' }] }, 'TENSOR', /the outputs "y", received "z"/],
    ['an output twice', { inputs: [tensor], outputs: [{ name: 'y' }, { name: 'y' }] }, 'REQUEST', /"y" twice/],
    ['an unknown datatype', { inputs: [{ ...tensor, datatype: 'FP33' }] }, 'REQUEST', /FP32.*received text "FP33"/],
    [
      'too few elements',
      { inputs: [{ ...tensor, contents: { fp32_contents: [1] } }] },
      'TENSOR',
      /2 elements.*received 1/,
    ],
    ['no contents', { inputs: [plain] }, 'TENSOR', /fp32_contents, received 0/],
    [
      'contents of another type',
      { inputs: [{ ...tensor, contents: { int_contents: [1, 2] } }] },
      'TENSOR',
      /fp32_contents for FP32.*received int_contents/,
    ],
    ['contents for FP16', { inputs: [{ ...tensor, datatype: 'FP16' }] }, 'TENSOR', /raw_input_contents for FP16/],
    [
      'a UINT8 beyond 255',
      { inputs: [{ ...tensor, datatype: 'UINT8', contents: { uint_contents: [1, 256] } }] },
      'TENSOR',
      /UINT8.*element 1, received 256/,
    ],
    [
      'a text that is not UTF-8',
      { inputs: [{ ...tensor, datatype: 'BYTES', contents: { bytes_contents: bytesOf([255], [65]) } }] },
      'TENSOR',
      /UTF-8.*element 0/,
    ],
    ['a size of 2^53', { inputs: [{ ...tensor, shape: ['9007199254740992', 2] }] }, 'REQUEST', /sizes from 0 to 2\^53/],
    ['a negative size', { inputs: [{ ...tensor, shape: [-1, 2] }] }, 'REQUEST', /received -1/],
    ['too many axes', { inputs: [{ ...tensor, shape: Array(33).fill(1) }] }, 'REQUEST', /at most 32 axes/],
    ['no rows axis', { inputs: [{ ...tensor, shape: [2] }] }, 'TENSOR', /shape \[-1, 2\].*received \[2\]/],
    [
      'raw contents of one input only',
      { inputs: [plain, { ...plain, name: 'y' }], raw_input_contents: bytesOf([0]) },
      'BINARY',
      /2 entries/,
    ],
    ['raw and typed contents', { inputs: [tensor], raw_input_contents: bytesOf([0]) }, 'BINARY', /received both/],
    [
      'raw contents of a wrong size',
      { inputs: [plain], raw_input_contents: bytesOf([0, 0, 0]) },
      'BINARY',
      /a multiple of 4 bytes/,
    ],
    [
      'a raw text longer than its tensor',
      { inputs: [{ ...plain, datatype: 'BYTES' }], raw_input_contents: bytesOf([9, 0, 0, 0, 65]) },
      'BINARY',
      /ends after its tensor/,
    ],
    [
      'a deadline of 0',
      { inputs: [tensor], parameters: { deadline_ms: { int64_param: 0 } } },
      'REQUEST',
      /milliseconds above 0/,
    ],
    [
      'a deadline as a text',
      { inputs: [tensor], parameters: { deadline_ms: { string_param: '9' } } },
      'REQUEST',
      /milliseconds above 0/,
    ],
    [
      'a key that is a boolean',
      { inputs: [tensor], parameters: { key: { bool_param: true } } },
      'REQUEST',
      /parameters.key/,
    ],
  ] as [string, object, string, RegExp][])('%s', async (_, request, kind, message) => {
    const error = await failure(infer(request));
    expect(error).toMatchObject({ status: STATUS.INVALID_ARGUMENT, code: `ERR_GRPC_${kind}` });
    expect(error.message).toMatch(message);
    expect(error.hint.length).toBeGreaterThan(10);
  });

  test('too many rows', async () => {
    const rows = Array.from({ length: 5001 }, () => [1, 2]);
    expect(await failure(infer({ inputs: x(...rows) }))).toMatchObject({
      status: STATUS.RESOURCE_EXHAUSTED,
      code: 'ERR_GRPC_ROWS',
    });
  });

  test.each([
    ['film', '3', STATUS.NOT_FOUND],
    ['other', '', STATUS.NOT_FOUND],
    ['__proto__', '', STATUS.NOT_FOUND],
    ['', '', STATUS.INVALID_ARGUMENT],
    ['a\0b', '', STATUS.INVALID_ARGUMENT],
    ['film@1', '1', STATUS.INVALID_ARGUMENT],
  ])('model %j, version %j', async (model_name, model_version, status) => {
    expect(await failure(infer({ model_name, model_version, inputs: x([1, 2]) }))).toMatchObject({ status });
    expect(await failure(client.call('ModelMetadata', { name: model_name, version: model_version }))).toMatchObject({
      status,
    });
  });
});
