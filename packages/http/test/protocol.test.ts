import { afterAll, describe, expect, test } from 'vitest';
import { addModel, castModel, constantModel, echoModel, get, post, serving } from './models.js';

const { app, registry, close } = await serving((registry) => {
  addModel(registry, 'echo', echoModel('text', 'words', 'f32', 'f64', 'i32', 'i64', 'flag', 'grid'));
  addModel(registry, 'cast', castModel());
  addModel(registry, 'film', constantModel(1), 1);
  addModel(registry, 'film', constantModel(2), 2);
});
afterAll(close);

const x = (...rows: number[][]) => [{ name: 'x', datatype: 'FP32', shape: [rows.length, 2], data: rows }];
const infer = (path: string, body: object) => post(app, `/v2/models/${path}/infer`, body);
const numberOf = (body: { outputs: { data: number[] }[] }) => body.outputs[0]!.data[0];

describe('health and metadata', () => {
  test('the server is live and ready', async () => {
    expect(await get(app, '/v2/health/live')).toMatchObject({ status: 200, body: { live: true } });
    expect(await get(app, '/v2/health/ready')).toMatchObject({ status: 200, body: { ready: true, live: true } });
  });

  test.each(['/v2', '/v2/'])('%s describes the server', async (path) => {
    const { status, body } = await get(app, path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'brezel', extensions: expect.arrayContaining(['binary_tensor_data']) });
  });

  test('a model is ready once it is loaded', async () => {
    addModel(registry, 'late', constantModel(3));
    expect(await get(app, '/v2/models/late/ready')).toMatchObject({
      status: 503,
      body: { name: 'late', ready: false },
    });
    await registry.load('late');
    for (const path of ['late', 'late/versions/1'])
      expect(await get(app, `/v2/models/${path}/ready`)).toMatchObject({
        status: 200,
        body: { name: 'late', ready: true },
      });
    expect((await get(app, '/v2/models/late/versions/2/ready')).status).toBe(404);
  });

  test('the metadata of a model lists tensors with datatypes and shapes', async () => {
    const { status, body } = await get(app, '/v2/models/echo');
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'echo', versions: ['1'], platform: 'brezel_plan' });
    expect(body.inputs).toEqual([
      { name: 'text', datatype: 'BYTES', shape: [-1] },
      { name: 'words', datatype: 'BYTES', shape: [-1, 2] },
      { name: 'f32', datatype: 'FP32', shape: [-1, 2] },
      { name: 'f64', datatype: 'FP64', shape: [-1, 1] },
      { name: 'i32', datatype: 'INT32', shape: [-1, 2] },
      { name: 'i64', datatype: 'INT64', shape: [-1] },
      { name: 'flag', datatype: 'BOOL', shape: [-1, 2] },
      { name: 'grid', datatype: 'FP32', shape: [-1, 2, 2] },
    ]);
    expect(body.outputs.map(({ name }: { name: string }) => name)).toContain('GRID');
    expect((await get(app, '/v2/models/film/versions/2')).body.versions).toEqual(['1', '2']);
  });
});

const row = [
  { name: 'text', datatype: 'BYTES', shape: [2], data: ['naïve', ''] },
  { name: 'words', datatype: 'BYTES', shape: [2, 2], data: ['a', 'b', 'c', '😀'] },
  {
    name: 'f32',
    datatype: 'FP32',
    shape: [2, 2],
    data: [
      [0.5, 'NaN'],
      ['-Infinity', -0.0],
    ],
  },
  { name: 'f64', datatype: 'FP64', shape: [2, 1], data: [0.1, 1e300] },
  { name: 'i32', datatype: 'INT32', shape: [2, 2], data: [1, -2, 2147483647, -2147483648] },
  { name: 'i64', datatype: 'INT64', shape: [2], data: [9007199254740991, '9007199254740992'] },
  { name: 'flag', datatype: 'BOOL', shape: [2, 2], data: [true, false, 1, 0] },
  {
    name: 'grid',
    datatype: 'FP32',
    shape: [2, 2, 2],
    data: [
      [
        [1, 2],
        [3, 4],
      ],
      [
        [5, 6],
        [7, 8],
      ],
    ],
  },
];

describe('infer', () => {
  test('answers every type of tensor, flat, and echoes the id', async () => {
    const { status, body } = await infer('echo', { id: '42', inputs: row });
    expect(body.error).toBeUndefined();
    expect(status).toBe(200);
    expect(body).toMatchObject({ model_name: 'echo', model_version: '1', id: '42' });
    expect(body.outputs).toEqual([
      { name: 'TEXT', datatype: 'BYTES', shape: [2], data: ['naïve', ''] },
      { name: 'WORDS', datatype: 'BYTES', shape: [2, 2], data: ['a', 'b', 'c', '😀'] },
      { name: 'F32', datatype: 'FP32', shape: [2, 2], data: [0.5, 'NaN', '-Infinity', 0] },
      { name: 'F64', datatype: 'FP64', shape: [2, 1], data: [0.1, 1e300] },
      { name: 'I32', datatype: 'INT32', shape: [2, 2], data: [1, -2, 2147483647, -2147483648] },
      { name: 'I64', datatype: 'INT64', shape: [2], data: [9007199254740991, 9007199254740992] },
      { name: 'FLAG', datatype: 'BOOL', shape: [2, 2], data: [true, false, true, false] },
      { name: 'GRID', datatype: 'FP32', shape: [2, 2, 2], data: [1, 2, 3, 4, 5, 6, 7, 8] },
    ]);
  });

  test('keeps the sign of zero', async () => {
    const text = JSON.stringify({ inputs: row }).replace('"-Infinity",0', '"-Infinity",-0.0');
    const headers = { 'content-type': 'application/json' };
    const { body } = await post(app, '/v2/models/echo/infer', text, headers);
    expect(Object.is(body.outputs[2].data[3], -0)).toBe(true);
  });

  test('returns only the requested outputs, in the requested order', async () => {
    const { body } = await infer('echo', { inputs: row, outputs: [{ name: 'I64' }, { name: 'TEXT' }] });
    expect(body.outputs.map(({ name }: { name: string }) => name)).toEqual(['I64', 'TEXT']);
  });

  test('reads and writes texts as base64', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const [text, ...others] = row;
    const coded = { ...text, parameters: { content_type: 'base64' }, data: [base64('naïve'), base64('')] };
    const outputs = [{ name: 'TEXT', parameters: { content_type: 'base64' } }];
    const { body } = await infer('echo', { inputs: [coded, ...others], outputs });
    expect(body.outputs).toEqual([
      {
        name: 'TEXT',
        datatype: 'BYTES',
        shape: [2],
        parameters: { content_type: 'base64' },
        data: [base64('naïve'), ''],
      },
    ]);
  });

  test('accepts a column for a scalar, other numeric datatypes, and no rows', async () => {
    expect((await infer('film', { inputs: x([1, 2], [3, 4]) })).body.outputs[0]).toEqual({
      name: 'y',
      datatype: 'FP32',
      shape: [2, 1],
      data: [1, 1],
    });
    for (const datatype of ['FP16', 'FP32', 'FP64', 'UINT8', 'UINT16', 'UINT32', 'UINT64', 'INT8', 'INT16', 'INT64'])
      expect((await infer('film', { inputs: [{ name: 'x', datatype, shape: [1, 2], data: [1, 2] }] })).status).toBe(
        200,
      );
    const { body } = await infer('film', { inputs: x() });
    expect(body.outputs[0]).toMatchObject({ shape: [0, 1], data: [] });
  });

  test('uses the version in the path, the alias, and the canary of a key', async () => {
    expect(numberOf((await infer('film', { inputs: x([1, 2]) })).body)).toBe(1);
    expect(numberOf((await infer('film/versions/2', { inputs: x([1, 2]) })).body)).toBe(2);
    registry.setAlias('film:next', 2);
    expect((await infer('film:next', { inputs: x([1, 2]) })).body).toMatchObject({ model_version: '2' });
    registry.canary('film', { to: 2, percent: 100 });
    expect((await infer('film', { inputs: x([1, 2]), parameters: { key: 'user 7' } })).body.model_version).toBe('2');
    registry.rollback('film');
  });

  test('a deadline limits the request', async () => {
    expect((await infer('film', { inputs: x([1, 2]), parameters: { deadline_ms: 60_000 } })).status).toBe(200);
    const rows = Array.from({ length: 50_000 }, () => [1, 2]);
    const late = await infer('film', { inputs: x(...rows), parameters: { deadline_ms: 1e-6 } });
    expect(late).toMatchObject({ status: 504, body: { code: 'ERR_RUNTIME_DEADLINE' } });
  });
});

describe('a request that does not fit', () => {
  const tensor = { name: 'x', datatype: 'FP32', shape: [1, 2], data: [1, 2] };
  const cases: [string, object, RegExp][] = [
    ['no inputs', {}, /a list at inputs, received nothing/],
    ['an empty list', { inputs: [] }, /"x" of FP32, received nothing/],
    ['an unknown input', { inputs: [{ ...tensor, name: 'z' }] }, /the inputs "x", received "z"/],
    ['an input of a prototype', { inputs: [{ ...tensor, name: 'constructor' }] }, /the inputs "x"/],
    ['an input twice', { inputs: [tensor, tensor] }, /"x" twice/],
    ['an unknown output', { inputs: [tensor], outputs: [{ name: 'z' }] }, /the outputs "y", received "z"/],
    ['an output twice', { inputs: [tensor], outputs: [{ name: 'y' }, { name: 'y' }] }, /"y" twice/],
    ['an unknown datatype', { inputs: [{ ...tensor, datatype: 'FP33' }] }, /FP32.*received text "FP33"/],
    ['a datatype of a prototype', { inputs: [{ ...tensor, datatype: 'toString' }] }, /received text "toString"/],
    ['too few elements', { inputs: [{ ...tensor, data: [1] }] }, /2 elements for shape \[1, 2\].*received 1/],
    ['a shape of 2^53', { inputs: [{ ...tensor, shape: [2 ** 53, 2] }] }, /sizes from 0 to 2\^53/],
    ['a product beyond 2^53', { inputs: [{ ...tensor, shape: Array(32).fill(2 ** 52) }] }, /Infinity elements/],
    ['too many axes', { inputs: [{ ...tensor, shape: Array(33).fill(1) }] }, /at most 32 axes/],
    ['a negative size', { inputs: [{ ...tensor, shape: [-1, 2] }] }, /received -1/],
    ['no rows axis', { inputs: [{ ...tensor, shape: [2] }] }, /shape \[-1, 2\].*received \[2\]/],
    ['ragged lists', { inputs: [{ ...tensor, shape: [2, 2], data: [[1, 2], [3]] }] }, /lists as in shape/],
    ['lists deeper than the shape', { inputs: [{ ...tensor, data: [[[1], [2]]] }] }, /a number.*received a list of 1/],
    ['a text as a number', { inputs: [{ ...tensor, data: [1, '2'] }] }, /a number.*element 1, received text "2"/],
    ['null', { inputs: [{ ...tensor, data: [1, null] }] }, /received null/],
    ['a fraction as UINT8', { inputs: [{ ...tensor, datatype: 'UINT8', data: [1, 2.5] }] }, /received 2.5/],
    ['a UINT8 beyond 255', { inputs: [{ ...tensor, datatype: 'UINT8', data: [1, 256] }] }, /received 256/],
    ['an INT64 that lost digits', { inputs: [{ ...tensor, datatype: 'INT64', data: [1, 2 ** 53] }] }, /beyond 2\^53/],
    [
      'wrong base64',
      { inputs: [{ ...tensor, datatype: 'BYTES', parameters: { content_type: 'base64' }, data: ['*', ''] }] },
      /base64 of UTF-8/,
    ],
    [
      'base64 that is not UTF-8',
      { inputs: [{ ...tensor, datatype: 'BYTES', parameters: { content_type: 'base64' }, data: ['/w==', ''] }] },
      /base64 of UTF-8/,
    ],
    ['an id that is no text', { id: 1, inputs: [tensor] }, /a text at id, received 1/],
    ['a deadline of 0', { parameters: { deadline_ms: 0 }, inputs: [tensor] }, /milliseconds above 0/],
    ['a key that is an object', { parameters: { key: {} }, inputs: [tensor] }, /parameters.key/],
    ['parameters that are a list', { parameters: [], inputs: [tensor] }, /an object at parameters/],
  ];
  test.each(cases)('%s', async (_, request, message) => {
    const { status, body } = await infer('film', request);
    expect(body.error).toMatch(message);
    expect(status).toBe(400);
    expect(body.code).toMatch(/^ERR_/);
  });

  test.each([
    ['film/versions/3', 404],
    ['film/versions/0', 404],
    ['other', 404],
    ['__proto__', 404],
    ['..%2F..%2Fetc%2Fpasswd', 404],
    ['a%00b', 400],
    ['film@1/versions/1', 400],
  ])('model %s', async (path, status) => {
    expect((await infer(path, { inputs: x([1, 2]) })).status).toBe(status);
    expect((await get(app, `/v2/models/${path}`)).status).toBe(status);
  });

  const headers = { 'content-type': 'application/json' };
  test.each([
    ['no JSON', '{"inputs": [', 'ERR_HTTP_JSON'],
    ['NaN in JSON', '{"inputs": [{"name":"x","datatype":"FP32","shape":[1,2],"data":[NaN,1]}]}', 'ERR_HTTP_JSON'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'ERR_HTTP_JSON'],
    ['a prototype', '{"__proto__": {"inputs": []}}', 'ERR_HTTP_JSON'],
    ['no object', '[]', 'ERR_HTTP_REQUEST'],
    ['an empty body', '', 'ERR_HTTP_JSON'],
    [
      'deep lists',
      `{"inputs": [{"name":"x","datatype":"FP32","shape":[1,2],"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`,
      'ERR_HTTP_TENSOR',
    ],
  ])('%s', async (_, text, code) => {
    expect(await post(app, '/v2/models/film/infer', text, headers)).toMatchObject({ status: 400, body: { code } });
  });
});

describe('binary tensors', () => {
  const binaryRequest = (request: object, ...tensors: Uint8Array[]) => {
    const json = Buffer.from(JSON.stringify(request));
    return { body: Buffer.concat([json, ...tensors]), length: json.length };
  };
  const sendBinary = ({ body, length }: { body: Buffer; length: number }, model = 'film') =>
    app.inject({
      method: 'POST',
      url: `/v2/models/${model}/infer`,
      payload: body,
      headers: { 'content-type': 'application/octet-stream', 'inference-header-content-length': `${length}` },
    });
  const bytes = (array: ArrayBufferView) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  const texts = (...list: string[]) =>
    Buffer.concat(
      list.map((text) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(Buffer.byteLength(text));
        return Buffer.concat([length, Buffer.from(text)]);
      }),
    );
  const tensors = [
    ['text', 'BYTES', [1], texts('naïve')],
    ['words', 'BYTES', [1, 2], texts('a', '')],
    ['f32', 'FP32', [1, 2], bytes(Float32Array.of(0.1, -0))],
    ['f64', 'FP64', [1, 1], bytes(Float64Array.of(Number.NaN))],
    ['i32', 'INT32', [1, 2], bytes(Int32Array.of(-1, 7))],
    ['i64', 'INT64', [1], bytes(BigInt64Array.of(-(2n ** 60n)))],
    ['flag', 'BOOL', [1, 2], Uint8Array.of(1, 0)],
    ['grid', 'FP32', [1, 2, 2], bytes(Float32Array.of(1, 2, 3, 4))],
  ] as const;

  test('in the request and in the response have the same bytes', async () => {
    const inputs = tensors.map(([name, datatype, shape, content]) => ({
      name,
      datatype,
      shape,
      parameters: { binary_data_size: content.length },
    }));
    const request = { inputs, parameters: { binary_data_output: true } };
    const response = await sendBinary(binaryRequest(request, ...tensors.map(([, , , content]) => content)), 'echo');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('application/octet-stream');
    const length = Number(response.headers['inference-header-content-length']);
    const { outputs } = JSON.parse(response.rawPayload.subarray(0, length).toString());
    let offset = length;
    for (const [index, [name, datatype, shape, content]] of tensors.entries()) {
      const { parameters, ...rest } = outputs[index];
      expect(rest).toEqual({ name: name.toUpperCase(), datatype, shape: [...shape] });
      expect(Buffer.from(response.rawPayload.subarray(offset, offset + parameters.binary_data_size))).toEqual(
        Buffer.from(content),
      );
      offset += parameters.binary_data_size;
    }
    expect(offset).toBe(response.rawPayload.length);
  });

  test('of integers that a cast saturated have the greatest int64, as JSON has', async () => {
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [2, 1], data: [1e30, -1e30] }];
    const json = await app.inject({ method: 'POST', url: '/v2/models/cast/infer', payload: { inputs } });
    expect(json.payload).toContain('[9223372036854775807,-9223372036854775808]');
    const payload = { inputs, parameters: { binary_data_output: true } };
    const binary = await app.inject({ method: 'POST', url: '/v2/models/cast/infer', payload });
    const length = Number(binary.headers['inference-header-content-length']);
    const elements = new BigInt64Array(new Uint8Array(binary.rawPayload.subarray(length)).buffer);
    expect(elements).toEqual(BigInt64Array.of(2n ** 63n - 1n, -(2n ** 63n)));
  });

  test('of texts are rows of a model whose only input is a text', async () => {
    addModel(registry, 'one-text', echoModel('text'));
    for (const rows of [1, 2]) {
      const content = texts(...['naïve', 'b'].slice(0, rows));
      const text = { name: 'text', datatype: 'BYTES', shape: [rows], parameters: { binary_data_size: content.length } };
      const response = await sendBinary(binaryRequest({ inputs: [text] }, content), 'one-text');
      expect(JSON.parse(response.payload).outputs[0].data).toEqual(['naïve', 'b'].slice(0, rows));
    }
  });

  test('of half precision', async () => {
    const x = { name: 'x', datatype: 'FP16', shape: [1, 2], parameters: { binary_data_size: 4 } };
    const response = await sendBinary(binaryRequest({ inputs: [x] }, bytes(Uint16Array.of(0x3c00, 0x7c00))));
    expect(response.statusCode).toBe(200);
  });

  test('for single outputs only', async () => {
    const [y] = [{ name: 'y', parameters: { binary_data: true } }];
    const response = await post(app, '/v2/models/film/infer', { inputs: x([1, 2]), outputs: [y] });
    expect(response.headers['inference-header-content-length']).toBeDefined();
  });

  const one = (size: unknown) => ({
    inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 2], parameters: { binary_data_size: size } }],
  });
  test.each([
    ['a header longer than the body', { ...binaryRequest(one(8), new Uint8Array(8)), length: 10_000 }],
    ['a header in the middle of the JSON', { ...binaryRequest(one(8), new Uint8Array(8)), length: 5 }],
    ['a tensor longer than the rest', binaryRequest(one(9), new Uint8Array(8))],
    ['bytes that no tensor takes', binaryRequest(one(8), new Uint8Array(9))],
    ['a size that is no multiple', binaryRequest(one(7), new Uint8Array(7))],
    ['a negative size', binaryRequest(one(-8), new Uint8Array(8))],
    ['a size that is a text', binaryRequest(one('8'), new Uint8Array(8))],
    [
      'a text longer than its tensor',
      binaryRequest(
        { inputs: [{ name: 'x', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: 5 } }] },
        Uint8Array.of(255, 255, 255, 255, 0),
      ),
    ],
    [
      'a text that is not UTF-8',
      binaryRequest(
        { inputs: [{ name: 'x', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: 5 } }] },
        Uint8Array.of(1, 0, 0, 0, 255),
      ),
    ],
  ])('%s is an error', async (_, request) => {
    expect((await sendBinary(request)).statusCode).toBe(400);
  });
});
