import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { onnxruntimeBackend } from '@brezel/onnxruntime';
import { afterAll, describe, expect, test } from 'vitest';
import { floats, missing, unary } from './models.js';

// Tests buffers that are transferred to worker threads and back, and models that several threads
// load.

const backend = onnxruntimeBackend({ workers: 2 });
const double = onnxruntimeBackend({ workers: 2, replicas: 2 });
const sleepy = onnxruntimeBackend({
  workers: 2,
  replicas: 2,
  module: new URL('./sleepy-onnxruntime.mjs', import.meta.url).href,
});
afterAll(() => Promise.all([backend.dispose(), double.dispose(), sleepy.dispose()]));

const block = (rows: number, value: number) => ({
  element: 'float32' as const,
  shape: [rows, 2],
  data: new Float32Array(2 * rows).fill(value),
});

describe.skipIf(missing !== undefined)('memory of requests', () => {
  test('is reused while shapes repeat', async () => {
    const stage = await backend.open(unary('Neg'));
    const into = { y: new Float32Array(600) };
    const { y } = await stage.run({ x: block(300, 1) }, { into });
    expect(y!.data, 'the caller’s own array').toBe(into.y);
    expect(into.y).toEqual(new Float32Array(600).fill(-1));
    const { made } = backend.memory().buffers;
    expect(made).toBeGreaterThan(0);
    for (let call = 0; call < 20; call++) {
      const rows = 260 + 2 * call; // all these sizes need the same size of buffer, a power of two
      const { y } = await stage.run({ x: block(rows, call) }, { into: { y: into.y.subarray(0, 2 * rows) } });
      expect(y).toEqual(block(rows, -call));
    }
    expect(backend.memory().buffers.made, 'nothing new').toBe(made);
    await stage.dispose();
  });

  test('is returned by failed requests, too', async () => {
    const failing = makeGraph({
      node: [makeNode('Reshape', ['x', 's'], ['y'])],
      input: [tensorInput('x', DataType.FLOAT, ['N', 2]), tensorInput('s', DataType.INT64, [2])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
    });
    const bytes = writeModel(makeModel(failing, { '': 17 }));
    const stage = await backend.open({ format: 'onnx', bytes, checksum: 'reshape' });
    const run = (size: bigint) =>
      stage.run({ x: block(3, 1), s: { element: 'int64', shape: [2], data: BigInt64Array.of(size, 2n) } });
    await expect(run(7n)).rejects.toMatchObject({ code: 'ERR_BACKEND_RUN' });
    const { made, buffers } = backend.memory().buffers;
    for (let call = 0; call < 5; call++) await expect(run(7n)).rejects.toMatchObject({ code: 'ERR_BACKEND_RUN' });
    expect(backend.memory().buffers).toMatchObject({ made, buffers });
    expect(await run(3n)).toEqual({ y: block(3, 1) });
    await stage.dispose();
  });

  test('answers without an array of the caller are separate arrays', async () => {
    const stage = await backend.open(unary('Neg'));
    const [one, other] = [await stage.run({ x: floats(1, 2) }), await stage.run({ x: floats(3, 4) })];
    expect([one, other]).toEqual([{ y: floats(-1, -2) }, { y: floats(-3, -4) }]);
    expect(one.y!.data.buffer.byteLength, 'no more than it says').toBe(8);
    for (const y of [new Float32Array(3), new Float64Array(2)]) {
      expect(await stage.run({ x: floats(5, 6) }, { into: { y } }), 'a place that does not fit').toEqual({
        y: floats(-5, -6),
      });
      expect(y.every((value) => value === 0)).toBe(true);
    }
    await stage.dispose();
  });

  test('an aborted call writes nothing later', async () => {
    const stage = await backend.open(unary('Neg'));
    const controller = new AbortController();
    const into = { y: new Float32Array(2) };
    const given = stage.run({ x: floats(1, 2) }, { into, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await stage.run({ x: floats(3, 4) });
    expect(into.y).toEqual(new Float32Array(2));
    await stage.dispose();
  });

  test('a file with wrong shapes is answered', async () => {
    const graph = makeGraph({
      node: [makeNode('Transpose', ['x'], ['y'])],
      input: [tensorInput('x', DataType.FLOAT, ['N', 'M'])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 'M'])],
    });
    const model = { format: 'onnx', bytes: writeModel(makeModel(graph, { '': 17 })), checksum: 'liar' } as const;
    const stage = await backend.open(model);
    const into = { y: new Float32Array(6) };
    const x = { element: 'float32' as const, shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) };
    for (let call = 0; call < 3; call++)
      expect(await stage.run({ x }, { into })).toEqual({
        y: { ...x, shape: [3, 2], data: Float32Array.of(1, 4, 2, 5, 3, 6) },
      });
    await stage.dispose();
  });
});

describe.skipIf(missing !== undefined)('a model in several threads', () => {
  test('answers several requests at once', async () => {
    const stage = await sleepy.open(unary('Neg'));
    const answers = await Promise.all([1, 2, 3, 4].map((value) => stage.run({ x: floats(value, value) })));
    expect(answers).toEqual([1, 2, 3, 4].map((value) => ({ y: floats(-value, -value) })));
    const threads = await Promise.all([5, 6].map((value) => stage.run({ x: floats(value, 666) })));
    const ids = threads.map(({ y }) => (y!.data as Float32Array)[1]);
    expect(new Set(ids).size, 'each in a thread of its own').toBe(2);
    await stage.dispose();
  });

  test('is one model, and is closed in all threads', async () => {
    const [one, other] = await Promise.all([double.open(unary('Abs')), double.open(unary('Abs'))]);
    expect(double.memory().models).toBe(1);
    await one.dispose();
    expect(await other.run({ x: floats(-1, 2) })).toEqual({ y: floats(1, 2) });
    await other.dispose();
    expect(double.memory().models).toBe(0);
  });

  test('a model that cannot be opened frees its memory', async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    await expect(double.open({ format: 'onnx', bytes, checksum: 'no' })).rejects.toMatchObject({
      code: 'ERR_BACKEND_MODEL',
    });
    expect(double.memory().models).toBe(0);
  });
});

test('more replicas than workers are rejected', () => {
  expect(() => onnxruntimeBackend({ workers: 2, replicas: 3 })).toThrow(/replicas up to 2/);
  expect(() => onnxruntimeBackend({ replicas: 0 })).toThrow(/replicas from 1/);
});
