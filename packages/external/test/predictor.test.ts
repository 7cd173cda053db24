import { externalPredictor } from '@brezel/external';
import { createSelection, exp3 } from '@brezel/selection';
import { createFlour, createRegistry, createRuntime, vector } from 'brezel';
import { describe, expect, test } from 'vitest';
import { endAfterEach } from '../../../testing/end-after-each.js';
import { SUMS, send, startServer, type TestServer } from './servers.js';

const flour = await createFlour();
const ends = endAfterEach();

async function server(...parameters: Parameters<typeof startServer>): Promise<TestServer> {
  const started = await startServer(...parameters);
  ends.push(() => started.close());
  return started;
}

async function predictor(options: Omit<Parameters<typeof externalPredictor>[0], 'model'>) {
  const made = await externalPredictor({ model: 'sums', ...options });
  ends.push(() => made.close());
  return made;
}

async function registered(options: Omit<Parameters<typeof externalPredictor>[0], 'model'>) {
  const external = await predictor(options);
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  ends.push(() => runtime.close());
  return { external, runtime, plan: runtime.register(external.program(flour).plan()) };
}

describe('a model of another server', () => {
  test('reads inputs and outputs from the metadata', async () => {
    const { url } = await server();
    const external = await predictor({ urls: [url] });
    expect(external.inputs).toEqual([{ name: 'x', type: vector('float32', 2) }]);
    expect(external.outputs).toMatchObject([{ name: 'y', type: { kind: 'scalar', dtype: 'float64' } }]);
    expect(external.stats()).toEqual({
      name: 'sums',
      waiting: 0,
      replicas: [{ replica: url, state: 'up', outstanding: 0, requests: 0, rows: 0, failures: 0 }],
    });
    await expect(external.probe()).resolves.toMatchObject({ available: true, formats: ['external'] });
  });

  test('answers rows like a plan, and its calls are counted', async () => {
    const { url, requests } = await server();
    const { runtime, plan, external } = await registered({ urls: [url], maxBatch: 8 });
    expect(await runtime.predict(plan, [1, 2])).toEqual({ y: 3 });
    const rows = Array.from({ length: 20 }, (_, row) => [row, 0.5]);
    expect(await runtime.predictBatch(plan, rows)).toEqual(rows.map(([row]) => ({ y: row! + 0.5 })));
    expect(requests.map(({ inputs }) => inputs[0]!.shape[0]).toSorted()).toEqual([1, 4, 8, 8]);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(4);
    expect(runtime.stats().plans).toMatchObject([{ name: 'sums', calls: { answered: 2, failed: 0 } }]);
    expect(external.stats().replicas).toMatchObject([{ requests: 4, rows: 21, failures: 0, outstanding: 0 }]);
    expect(() => runtime.predictSync(plan, [1, 2])).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_BLACK_BOX' }));
  });

  test('is a version of a registry, and a candidate of a selection', async () => {
    const { url } = await server();
    const external = await predictor({ urls: [url] });
    const runtime = createRuntime({ store: flour.store, backends: [external] });
    ends.push(() => runtime.close());
    const registry = await createRegistry({ runtime });
    ends.push(() => registry.close());
    registry.add('sums', external.program(flour).plan());
    expect(await registry.predict('sums', [2, 5])).toEqual({ y: 7 });
    const selection = createSelection({
      candidates: { remote: 'sums', local: () => ({ y: 0 }) },
      registry,
      policy: exp3(),
      loss: (truth: number, answer: { readonly y: number }) => (truth === answer.y ? 0 : 1),
      random: () => 0,
    });
    expect(await selection.predict([3, 4] as never)).toMatchObject({ answer: { y: 7 } });
  });

  test('is a stage of a plan, before and after stages of Brezel', async () => {
    const { url, requests } = await server();
    const external = await predictor({ urls: [url] });
    const scaled = flour.input('raw', vector('float32', 2)).scale({ scale: 2 });
    const sum = scaled.blackBox(external.model, external.box('y')) as never as typeof scaled;
    const single = sum.cast('float32');
    const program = flour.program({ score: single.linear({ weights: [10], bias: 1 }) }, { name: 'mixed' });
    const runtime = createRuntime({ store: flour.store, backends: [external] });
    ends.push(() => runtime.close());
    const plan = runtime.register(program.plan());
    expect(await runtime.predict(plan, { raw: [1, 2] })).toEqual({ score: [61] });
    expect(requests[0]!.inputs[0]!.data).toEqual([2, 4]);
  });

  test('accepts several inputs, texts and tensors', async () => {
    const { url } = await server((infer, response) => {
      const [text, n] = infer.inputs as never as [{ data: string[] }, { data: number[] }];
      const label = text.data.map((one, row) => `${one}!${n.data[row]}`);
      const box = text.data.flatMap((_, row) => [row, 1, 2, 3, 4, 5]);
      const { length } = text.data;
      const outputs = [
        { name: 'label', datatype: 'BYTES', shape: [length, 1], data: label },
        { name: 'box', datatype: 'INT64', shape: [length, 2, 3], data: box },
      ].filter(({ name }) => infer.outputs.some((output) => output.name === name));
      send(response, { id: infer.id, outputs });
    });
    const inputs = { text: { kind: 'scalar', dtype: 'string' }, n: { kind: 'scalar', dtype: 'int64' } } as const;
    const outputs = {
      label: { kind: 'scalar', dtype: 'string' },
      box: { kind: 'tensor', dtype: 'int64', shape: [2, 3] },
    } as const;
    const { runtime, plan } = await registered({ urls: [url], inputs, outputs });
    const rows = [
      { text: 'a\ud800é', n: 1 },
      { text: '', n: 2n ** 62n },
    ];
    expect(await runtime.predictBatch(plan, rows)).toEqual([
      {
        label: 'a\ufffdé!1',
        box: [
          [0, 1, 2],
          [3, 4, 5],
        ],
      },
      {
        label: `!${2 ** 62}`,
        box: [
          [1, 1, 2],
          [3, 4, 5],
        ],
      },
    ]);
  });

  test('sends the token, and no error contains it', async () => {
    const { url, headers } = await server((_, response) => send(response, { error: 'bad token s3cret' }, 401));
    const { runtime, plan } = await registered({ urls: [url], token: 's3cret' });
    const failed = runtime.predict(plan, [1, 2]);
    await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_REPLICA' });
    await expect(failed).rejects.toThrow(/status 401: bad token \*\*\*/);
    expect(headers.map(({ authorization }) => authorization)).toEqual(Array(3).fill('Bearer s3cret'));
  });

  test('does not run the plan of another version', async () => {
    const { url, requests } = await server();
    const [one, two] = [await predictor({ urls: [url], version: '1' }), await predictor({ urls: [url], version: '2' })];
    const runtime = createRuntime({ store: flour.store, backends: [two] });
    ends.push(() => runtime.close());
    const failed = runtime.predict(runtime.register(one.program(flour).plan()), [1, 1]);
    await expect(failed).rejects.toMatchObject({ code: 'ERR_BACKEND_MODEL' });
    await expect(failed).rejects.toThrow(/expected .*"2".* received .*"1"/);
    expect(requests).toEqual([]);
  });

  test('is a missing backend in a runtime without the predictor', async () => {
    const { url } = await server();
    const external = await predictor({ urls: [url] });
    const other = await predictor({ urls: [url], name: 'other' });
    const runtime = createRuntime({ store: flour.store, backends: [other] });
    ends.push(() => runtime.close());
    const plan = external.program(flour).plan();
    expect(() => runtime.register(plan)).toThrow(/the predictor "sums"/);
    runtime.registerBackend(external);
    expect(await runtime.predict(runtime.register(plan), [1, 1])).toEqual({ y: 2 });
  });
});

describe('options and metadata', () => {
  test.each([
    [{ urls: [] }, /urls/],
    [{ urls: ['ftp://a'] }, /http or https/],
    [{ urls: ['http://me:pass@a'] }, /without user and password/],
    [{ urls: ['http://a/?token=pass'] }, /without \? and #/],
    [{ urls: ['http://a', 'http://a/'] }, /twice/],
    [{ urls: ['nothing'] }, /not a URL/],
    [{ urls: ['http://a'], maxBach: 4 }, /maxBatch/],
    [{ urls: ['http://a'], maxBatch: 0 }, /maxBatch, an integer from 1 to 65536/],
    [{ urls: ['http://a'], timeoutMs: Number.NaN }, /timeoutMs/],
    [{ urls: ['http://a'], token: 'a\r\nb' }, /token/],
    [{ urls: ['http://a'], model: '' }, /model/],
    [{ urls: ['http://a'], protocol: 'grpc' }, /oip-v2/],
  ])('rejects the options %j', async (options, message) => {
    const failed = externalPredictor({ model: 'sums', ...options } as never);
    await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_OPTION' });
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.not.toThrow(/pass\b/);
  });

  test.each([
    ['no list', { ...SUMS, inputs: 3 }],
    ['no inputs', { ...SUMS, inputs: [] }],
    ['a fixed number of rows', { ...SUMS, inputs: [{ name: 'x', datatype: 'FP32', shape: [8, 2] }] }],
    ['an axis of any size', { ...SUMS, inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, -1] }] }],
    ['an unsupported datatype', { ...SUMS, outputs: [{ name: 'y', datatype: 'UINT8', shape: [-1] }] }],
    ['a name twice', { ...SUMS, outputs: [SUMS.outputs[0], SUMS.outputs[0]] }],
    ['a name of every object', { ...SUMS, inputs: [{ name: '__proto__', datatype: 'FP32', shape: [-1] }] }],
    ['a text', 'nothing'],
  ])('rejects metadata with %s', async (_, metadata) => {
    const started = await server();
    started.metadata = metadata;
    await expect(predictor({ urls: [started.url] })).rejects.toMatchObject({ code: 'ERR_EXTERNAL_MODEL' });
  });

  test('rejects replicas that differ', async () => {
    const [one, two] = [await server(), await server()];
    two.metadata = { ...SUMS, inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3] }] };
    await expect(predictor({ urls: [one.url, two.url] })).rejects.toMatchObject({
      code: 'ERR_EXTERNAL_MODEL',
      message: expect.stringContaining(two.url),
    });
  });

  test('fails at the start if no replica answers, and names all replicas', async () => {
    const gone = await server();
    await gone.close();
    const failed = predictor({ urls: [gone.url] });
    await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_UNAVAILABLE' });
    await expect(failed).rejects.toThrow(gone.url);
  });

  test('an output that the model does not have', async () => {
    const { url } = await server();
    const external = await predictor({ urls: [url] });
    expect(() => external.program(flour, { outputs: ['z'] })).toThrow(/an output of the model: y/);
    expect(() => external.box('z')).toThrow(/an output of the model: y/);
    expect(() =>
      flour.input('x', vector('float32', 2)).blackBox(external.model, { size: 1, others: 3 as never }),
    ).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_PARAM' }));
    const [a, b] = ['a', 'b'].map((name) => flour.input(name, vector('float32', 2)));
    expect(() => a!.blackBox(external.model, { ...external.box('y'), others: { x: b! } })).toThrow(
      expect.objectContaining({ code: 'ERR_FLOUR_PARAM', message: expect.stringContaining('a different name') }),
    );
    await external.close();
    await expect(external.open({ ...external.model })).rejects.toMatchObject({ code: 'ERR_EXTERNAL_CLOSED' });
  });
});
