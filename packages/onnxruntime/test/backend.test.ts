import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendTensor } from '@brezel/core';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { onnxruntimeBackend } from '@brezel/onnxruntime';
import { afterAll, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../testing/guard.js';
import { floats, missing, unary } from './models.js';

const announcing = new URL('./announcing-onnxruntime.mjs', import.meta.url).href;
const backend = onnxruntimeBackend({ workers: 1 });
const dying = onnxruntimeBackend({
  workers: 1,
  module: new URL('./dying-onnxruntime.mjs', import.meta.url).href,
});
afterAll(() => Promise.all([backend.dispose(), dying.dispose()]));

describe.skipIf(missing !== undefined)('models', () => {
  test('a stage lists its ports and answers', async () => {
    const stage = await backend.open(unary('Abs'));
    expect(stage.inputs).toEqual([{ name: 'x', kind: 'tensor', element: 'float32', shape: ['N', 2] }]);
    expect(stage.outputs).toEqual([{ name: 'y', kind: 'tensor', element: 'float32', shape: ['N', 2] }]);
    expect([stage.provider, stage.device]).toEqual(['cpu', 'cpu']);
    const x = floats(-1, 2, -3, 4);
    expect(await stage.run({ x })).toEqual({ y: floats(1, 2, 3, 4) });
    expect(x, 'the caller keeps its input').toEqual(floats(-1, 2, -3, 4));
    await stage.dispose();
  });

  const identities: [string, number, BackendTensor][] = [
    ['float64', DataType.DOUBLE, { element: 'float64', shape: [1, 2], data: Float64Array.of(0.1, Number.NaN) }],
    ['float16', DataType.FLOAT16, { element: 'float16', shape: [1, 2], data: Float32Array.of(0.5, -65504) }],
    ['int64', DataType.INT64, { element: 'int64', shape: [1, 2], data: BigInt64Array.of(-1n, 2n ** 62n) }],
    ['uint64', DataType.UINT64, { element: 'uint64', shape: [1, 2], data: BigUint64Array.of(1n, 2n ** 63n) }],
    ['int8', DataType.INT8, { element: 'int8', shape: [1, 2], data: Int8Array.of(-128, 127) }],
    ['uint16', DataType.UINT16, { element: 'uint16', shape: [1, 2], data: Uint16Array.of(0, 65535) }],
    ['bool', DataType.BOOL, { element: 'bool', shape: [1, 2], data: Uint8Array.of(0, 1) }],
    ['string', DataType.STRING, { element: 'string', shape: [1, 2], data: ['grün', ''] }],
  ];
  test.each(identities)('%s is sent and returned unchanged', async (_, dataType, x) => {
    const stage = await backend.open(unary('Identity', dataType));
    expect(await stage.run({ x })).toEqual({ y: x });
    const none = { ...x, shape: [0, 2], data: x.data.slice(0, 0) } as BackendTensor;
    expect(await stage.run({ x: none })).toEqual({ y: none });
    await stage.dispose();
  });

  test('an operator of a custom domain is an error that says what to define', async () => {
    const graph = makeGraph({
      node: [makeNode('Triple', ['x'], ['y'], {}, 'my.team')],
      input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
    });
    const bytes = writeModel(makeModel(graph, { '': 17, 'my.team': 1 }));
    await expect(backend.open({ format: 'onnx', bytes, checksum: 'triple', name: 'triple' })).rejects.toMatchObject({
      code: 'ERR_BACKEND_MODEL',
      hint: expect.stringContaining('defineOperator({ name: "my.team/Triple"'),
    });
  });

  test('only the elements of a view into a larger array are read', async () => {
    const stage = await backend.open(unary('Neg'));
    const data = Float32Array.of(9, 1, 2, 9).subarray(1, 3);
    expect(await stage.run({ x: { element: 'float32', shape: [1, 2], data } })).toEqual({ y: floats(-1, -2) });
    await stage.dispose();
  });

  test('a model that several callers open is loaded once, until the last caller closes it', async () => {
    const [one, other] = await Promise.all([backend.open(unary('Neg')), backend.open(unary('Neg'))]);
    await one.dispose();
    await one.dispose();
    await expect(one.run({ x: floats(1, 2) })).rejects.toMatchObject({ code: 'ERR_BACKEND_CLOSED' });
    expect(await other.run({ x: floats(1, 2) })).toEqual({ y: floats(-1, -2) });
    await other.dispose();
    const again = await backend.open(unary('Neg'));
    expect(await again.run({ x: floats(1, 2) })).toEqual({ y: floats(-1, -2) });
    await again.dispose();
  });

  test('dispose waits for running calls', async () => {
    const stage = await backend.open(unary('Abs'));
    const answers = Promise.all([1, 2, 3].map((value) => stage.run({ x: floats(-value, value) })));
    await stage.dispose();
    expect(await answers).toEqual([1, 2, 3].map((value) => ({ y: floats(value, value) })));
  });

  test('outputs that are not requested are not returned', async () => {
    const graph = makeGraph({
      node: [makeNode('Abs', ['x'], ['a']), makeNode('Neg', ['x'], ['b'])],
      input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
      output: [tensorInput('a', DataType.FLOAT, ['N', 2]), tensorInput('b', DataType.FLOAT, ['N', 2])],
    });
    const model = { format: 'onnx', bytes: writeModel(makeModel(graph)), checksum: 'two' } as const;
    const stage = await backend.open({ ...model, outputs: ['b'] });
    expect(await stage.run({ x: floats(1, 2) })).toEqual({ b: floats(-1, -2) });
    await stage.dispose();
    await expect(backend.open({ ...model, outputs: ['c'] })).rejects.toMatchObject({ code: 'ERR_BACKEND_MODEL' });
  });
});

describe.skipIf(missing !== undefined)('faults', () => {
  test.each([
    ['nothing', {}],
    ['another rank', { x: { ...floats(1, 2), shape: [2] } }],
    ['another size', { x: { element: 'float32', shape: [2, 1], data: Float32Array.of(1, 2) } }],
    ['another type', { x: { element: 'int32', shape: [1, 2], data: Int32Array.of(1, 2) } }],
    ['data of another kind', { x: { element: 'float32', shape: [1, 2], data: [1, 2] } }],
    ['too little data', { x: { element: 'float32', shape: [2, 2], data: Float32Array.of(1, 2) } }],
    ['more inputs', { x: floats(1, 2), z: floats(1, 2) }],
  ])('%s is refused', async (_, inputs) => {
    const stage = await backend.open(unary('Abs'));
    await expect(stage.run(inputs as never)).rejects.toMatchObject({ code: 'ERR_BACKEND_INPUT' });
    expect(await stage.run({ x: floats(-1, 2) })).toEqual({ y: floats(1, 2) });
    await stage.dispose();
  });

  test('bytes that are not a model', async () => {
    const broken = { ...unary('Abs'), checksum: 'broken', bytes: unary('Abs').bytes!.slice(0, 30) };
    await expect(backend.open(broken)).rejects.toMatchObject({ code: 'ERR_BACKEND_MODEL' });
    await expect(backend.open(unary('NoSuchOperator'))).rejects.toThrow(/NoSuchOperator/);
    await expect(backend.open({ format: 'onnx', path: '/no/such/model.onnx', checksum: 'none' })).rejects.toMatchObject(
      { code: 'ERR_BACKEND_MODEL' },
    );
    await expect(backend.open({ format: 'onnx', checksum: 'none' })).rejects.toMatchObject({
      code: 'ERR_BACKEND_MODEL',
    });
    await expect(backend.open({ ...unary('Abs'), format: 'saved-model' })).rejects.toThrow(/saved-model/);
  });

  test('a run that throws does not affect other runs', async () => {
    const [good, bad] = await Promise.all([dying.open(unary('Abs')), dying.open(unary('Neg'))]);
    const answers = await Promise.allSettled([
      good.run({ x: floats(-1, 2) }),
      bad.run({ x: floats(13, 2) }),
      bad.run({ x: floats(1, 2) }),
    ]);
    expect(answers).toEqual([
      { status: 'fulfilled', value: { y: floats(1, 2) } },
      { status: 'rejected', reason: expect.objectContaining({ code: 'ERR_BACKEND_RUN' }) },
      { status: 'fulfilled', value: { y: floats(-1, -2) } },
    ]);
    await Promise.all([good.dispose(), bad.dispose()]);
  });

  test('a thread that dies fails its request, and the next thread answers the waiting requests', async () => {
    const [good, bad] = await Promise.all([dying.open(unary('Abs')), dying.open(unary('Neg'))]);
    const answers = await Promise.allSettled([
      bad.run({ x: floats(666, 2) }),
      good.run({ x: floats(-1, 2) }),
      good.run({ x: floats(-5, 2) }),
      bad.run({ x: floats(666, 2) }),
      bad.run({ x: floats(1, 2) }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect((answers[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'ERR_BACKEND_LOST' });
    expect((answers[4] as PromiseFulfilledResult<unknown>).value).toEqual({ y: floats(-1, -2) });
    await Promise.all([good.dispose(), bad.dispose()]);
  });

  test('an aborted call fails with the reason, and does not run if it is still in the queue', async () => {
    const stage = await dying.open(unary('Abs'));
    const controller = new AbortController();
    const first = stage.run({ x: floats(-1, 2) });
    const second = stage.run({ x: floats(666, 2) }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(await first).toEqual({ y: floats(1, 2) });
    expect(await stage.run({ x: floats(-3, 2) })).toEqual({ y: floats(3, 2) });
    await expect(stage.run({ x: floats(1, 2) }, { signal: controller.signal })).rejects.toThrow('enough');
    await stage.dispose();
  });

  test('a closed backend opens no model', async () => {
    const closed = onnxruntimeBackend();
    const stage = await closed.open(unary('Abs'));
    await closed.dispose();
    await closed.dispose();
    await expect(closed.open(unary('Abs'))).rejects.toMatchObject({ code: 'ERR_BACKEND_CLOSED' });
    await expect(stage.run({ x: floats(1, 2) })).rejects.toMatchObject({ code: 'ERR_BACKEND_CLOSED' });
  });
});

describe('installed versions and providers', () => {
  test('a package that is not installed is reported, without an exception', async () => {
    const none = onnxruntimeBackend({ module: 'no-such-onnxruntime' });
    expect(await none.probe()).toMatchObject({
      available: false,
      why: 'no-such-onnxruntime is not installed',
      remedy: 'npm install no-such-onnxruntime',
      providers: [],
    });
    await expect(none.open(unary('Abs'))).rejects.toMatchObject({
      code: 'ERR_BACKEND_MISSING',
      hint: 'npm install no-such-onnxruntime',
    });
  });

  test.skipIf(missing !== undefined)('providers, with a reason for each provider that does not work', async () => {
    const report = await backend.probe();
    expect(report).toMatchObject({ name: 'onnxruntime', package: 'onnxruntime-node', available: true });
    expect(report.version).toMatch(/^\d+\.\d+/);
    expect(report.providers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['cpu', 'webgpu', 'cuda', 'tensorrt']),
    );
    for (const { available, why, remedy } of report.providers)
      if (!available) expect([typeof why, typeof remedy]).toEqual(['string', 'string']);
    const unusable = report.providers.filter(({ available }) => !available).map(({ name }) => name);
    for (const name of [...unusable, 'no-such-provider'])
      await expect(backend.open(unary('Abs'), { providers: [name] })).rejects.toMatchObject({
        code: 'ERR_BACKEND_PROVIDER',
        hint: expect.stringContaining(
          report.providers.find((one) => one.name === name)?.remedy ?? 'known providers are cpu,',
        ),
      });
    const stage = await backend.open(unary('Abs'), { device: 'auto' });
    expect(await stage.run({ x: floats(-1, 2) })).toEqual({ y: floats(1, 2) });
    await stage.dispose();
  });

  test('options out of range', async () => {
    expect(() => onnxruntimeBackend({ workers: 0 })).toThrow(/workers from 1/);
    expect(() => onnxruntimeBackend({ threads: 1.5 })).toThrow(/threads from 1/);
    await expect(backend.open(unary('Abs'), { device: 'tpu' as never })).rejects.toThrow(/cpu, gpu or auto/);
    for (const providers of ['cpu', [], [1]] as never[])
      await expect(backend.open(unary('Abs'), { providers })).rejects.toMatchObject({
        code: 'ERR_BACKEND_OPTION',
        message: expect.stringContaining('a list of at least one provider name'),
      });
    const refused = [
      [{ sessionOptions: { intraOpNumThreads: 2 } }, /intraOpNumThreads/],
      [{ sessionOptions: { executionProviders: ['cuda'] } }, /executionProviders/],
      [{ sessionOptions: 'fast' as never }, /sessionOptions, received string/],
      [{ providerOptions: { cuda: 1 as never } }, /at cuda, received number/],
      [{ sessionOptions: { logId: () => 'me' } }, /at sessionOptions, received object/],
    ] as const;
    for (const [options, message] of refused) {
      expect(() => onnxruntimeBackend(options)).toThrow(message);
      expect(() => onnxruntimeBackend(options)).toThrow(expect.objectContaining({ code: 'ERR_BACKEND_OPTION' }));
    }
  });

  test.skipIf(missing !== undefined)('options of sessions and providers are passed on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brezel-onnxruntime-'));
    const optimizedModelFilePath = join(folder, 'optimized.onnx');
    const own = onnxruntimeBackend({
      workers: 1,
      sessionOptions: { optimizedModelFilePath, graphOptimizationLevel: 'basic' },
      providerOptions: { cpu: { useArena: false } },
    });
    const stage = await own.open(unary('Abs'));
    expect(await stage.run({ x: floats(-1, 2) })).toEqual({ y: floats(1, 2) });
    expect(existsSync(optimizedModelFilePath)).toBe(true);
    await own.dispose();
    rmSync(folder, { recursive: true });
    const wrong = onnxruntimeBackend({ workers: 1, sessionOptions: { graphOptimizationLevel: 'most' } });
    await expect(wrong.open(unary('Abs'))).rejects.toMatchObject({
      code: 'ERR_BACKEND_MODEL',
      message: expect.stringContaining('graphOptimizationLevel'),
    });
    await wrong.dispose();
  });

  test.skipIf(missing !== undefined)('a process with an open model ends when it has nothing else to do', () => {
    const script = `
      import { onnxruntimeBackend } from '@brezel/onnxruntime';
      const bytes = Buffer.from('${Buffer.from(unary('Abs').bytes!).toString('base64')}', 'base64');
      const stage = await onnxruntimeBackend().open({ format: 'onnx', bytes, checksum: 'a' });
      const { y } = await stage.run({ x: { element: 'float32', shape: [1, 2], data: Float32Array.of(-1, 2) } });
      console.log(y.data.join());`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: GUARD_MS,
      cwd: new URL('.', import.meta.url),
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: '1,2\n', stderr: '', status: 0 });
  });
});

// onnxruntime-node aborts the process if its thread is terminated during a call.
describe.skipIf(missing !== undefined)('no thread is terminated during a call', () => {
  test('dispose waits for a model that is being closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brezel-'));
    const released = join(folder, 'released');
    process.env.BREZEL_TEST_RELEASED = released;
    const backend = onnxruntimeBackend({ workers: 1, module: announcing });
    try {
      const stage = await backend.open(unary('Abs'));
      void stage.dispose();
      expect(backend.memory().models).toBe(0);
      await backend.dispose();
      expect(existsSync(released)).toBe(true);
    } finally {
      delete process.env.BREZEL_TEST_RELEASED;
      rmSync(folder, { recursive: true });
    }
  });

  test('process.exit waits for a run', () => {
    const script = new URL('./exiting-process.mjs', import.meta.url).pathname;
    const { status, signal, stderr } = spawnSync(process.execPath, [script, announcing], { encoding: 'utf8' });
    expect({ status, signal, stderr }).toEqual({ status: 3, signal: null, stderr: '' });
  });

  test('the process does not wait for a thread that died', () => {
    const script = new URL('./exiting-after-death.mjs', import.meta.url).pathname;
    const module = new URL('./dying-onnxruntime.mjs', import.meta.url).href;
    const { status, stdout } = spawnSync(process.execPath, [script, module], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'ERR_BACKEND_LOST\ndoes not wait\n' });
  });
});
