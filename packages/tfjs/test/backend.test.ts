import type { BackendStage, BackendTensor } from '@brezel/core';
import { type TfjsBackend, tfjsBackend } from '@brezel/tfjs';
import { createFlour, createRuntime, type Flow, vector } from 'brezel';
import { afterAll, describe, expect, it } from 'vitest';
import { denseLayers, graphFiles, layersFiles, perceptron, tf, writeFiles } from './models.js';

const backend: TfjsBackend = tfjsBackend();
afterAll(() => backend.dispose());

const float = (shape: number[], numbers: Iterable<number>): BackendTensor => ({
  element: 'float32',
  shape,
  data: Float32Array.from(numbers),
});
const ramp = (count: number) => Float32Array.from({ length: count }, (_, index) => Math.sin(index));
const tensors = async () => (await backend.memory()).tfjs!.tensors;
const code = (wanted: string) => expect.objectContaining({ code: wanted });

async function openPerceptron(checksum = 'perceptron') {
  const model = perceptron();
  const path = writeFiles(await layersFiles(model));
  return { model, path, stage: await backend.open({ format: 'tfjs-layers', path, checksum }) };
}

const openGraph = (outputs?: string[]): Promise<BackendStage> => {
  const path = writeFiles(graphFiles([1, 2, 3, 4, 5, 6], [0.5, -100]));
  return backend.open({ format: 'tfjs-graph', path, checksum: 'graph', name: 'graph', outputs });
};

describe('a layers model', () => {
  it('gives the answers of the same network in Brezel', async () => {
    const { model, stage } = await openPerceptron();
    const flour = await createFlour();
    const [hidden, head] = denseLayers(model);
    const layers = [
      { ...hidden!, activation: 'relu' },
      { ...head!, activation: 'softmax' },
    ] as const;
    const features = flour.input('x', vector('float32', 4)) as Flow<'vector'>;
    const runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(features.mlp({ layers }).plan());
    const [rows, data] = [5, ramp(20)];
    const { head: answer } = await stage.run({ hidden_input: float([rows, 4], data) });
    expect(answer).toMatchObject({ element: 'float32', shape: [rows, 3] });
    for (let row = 0; row < rows; row++) {
      const ours = runtime.predictSync(plan, { x: data.slice(row * 4, row * 4 + 4) }).output as number[];
      const theirs = (answer!.data as Float32Array).slice(row * 3, row * 3 + 3);
      for (const [index, value] of [...ours].entries()) expect(theirs[index]).toBeCloseTo(value, 6);
    }
    await runtime.close();
    await stage.dispose();
  });

  it('lists its ports and its size, and does not change the inputs', async () => {
    const { stage } = await openPerceptron();
    expect(stage.inputs).toEqual([{ name: 'hidden_input', kind: 'tensor', element: 'float32', shape: [null, 4] }]);
    expect(stage.outputs).toEqual([{ name: 'head', kind: 'tensor', element: 'float32', shape: [null, 3] }]);
    expect(stage).toMatchObject({ provider: 'tfjs', device: 'cpu', bytes: (4 * 6 + 6 + 6 * 3 + 3) * 4 });
    const input = float([1, 4], [1, 2, 3, 4]);
    await stage.run({ hidden_input: input });
    expect(input.data).toEqual(Float32Array.of(1, 2, 3, 4));
    await stage.dispose();
  });

  it('has several inputs and outputs, each under its name', async () => {
    const [left, right] = [tf.input({ shape: [2], name: 'left' }), tf.input({ shape: [2], name: 'right' })];
    const add = tf.layers.add({ name: 'sum' }).apply([left, right]) as typeof left;
    const product = tf.layers.multiply({ name: 'product' }).apply([left, right]) as typeof left;
    const path = writeFiles(await layersFiles(tf.model({ inputs: [left, right], outputs: [add, product] })));
    const feed = { right: float([1, 2], [3, 4]), left: float([1, 2], [10, 20]) };
    const both = await backend.open({ format: 'tfjs-layers', path, checksum: 'two' });
    expect(await both.run(feed)).toEqual({ sum: float([1, 2], [13, 24]), product: float([1, 2], [30, 80]) });
    const one = await backend.open({ format: 'tfjs-layers', path, checksum: 'two', outputs: ['product'] });
    expect(await one.run(feed)).toEqual({ product: float([1, 2], [30, 80]) });
    const unknown = backend.open({ format: 'tfjs-layers', path, checksum: 'two', outputs: ['quotient'] });
    await expect(unknown).rejects.toThrow(/outputs sum, product.*"quotient"/);
    await Promise.all([both.dispose(), one.dispose()]);
  });
});

describe('a graph model', () => {
  it('has the names of its signature, and gives the expected answers', async () => {
    const stage = await openGraph(['scores', 'signs']);
    expect(stage.inputs).toEqual([{ name: 'features', kind: 'tensor', element: 'float32', shape: [null, null] }]);
    expect(await stage.run({ features: float([2, 3], [1, 0, 0, 1, 1, 20]) })).toEqual({
      scores: float([2, 2], [1.5, -98, 104.5, 26]),
      signs: { element: 'bool', shape: [2, 2], data: Uint8Array.of(1, 0, 1, 1) },
    });
    await stage.dispose();
  });

  it('runs operators whose sizes depend on values', async () => {
    const stage = await openGraph(['places']);
    const features = float([2, 3], [1, 0, 0, 1, 1, 20]);
    const places = { element: 'int32', shape: [3, 2], data: Int32Array.of(0, 0, 1, 0, 1, 1) };
    expect(await stage.run({ features })).toEqual({ places });
    expect(await stage.run({ features })).toEqual({ places });
    await stage.dispose();
  });
});

describe('tensors', () => {
  it('are all freed, also after failed runs, and the weights at the end', async () => {
    const before = await tensors();
    const { stage: layers } = await openPerceptron();
    const graph = await openGraph(['scores']);
    const dynamic = await openGraph(['places', 'scores']);
    const open = await tensors();
    expect(open).toBe(before + 4 + 2);
    for (let round = 0; round < 20; round++) {
      await layers.run({ hidden_input: float([3, 4], ramp(12)) });
      await graph.run({ features: float([2, 3], ramp(6)) });
      await dynamic.run({ features: float([2, 3], ramp(6)) });
      for (const stage of [graph, dynamic])
        await expect(stage.run({ features: float([2, 5], ramp(10)) })).rejects.toThrow(code('ERR_BACKEND_RUN'));
      expect(await tensors()).toBe(open);
    }
    await Promise.all([layers.dispose(), graph.dispose(), dynamic.dispose()]);
    expect(await tensors()).toBe(before);
  });

  it('are freed by a model that cannot be opened', async () => {
    const before = await tensors();
    const files = await layersFiles(perceptron());
    const manifest = files.json.weightsManifest as { weights: { name: string }[] }[];
    manifest[0]!.weights[3]!.name = 'other/bias';
    const path = writeFiles(files);
    const opening = backend.open({ format: 'tfjs-layers', path, checksum: 'renamed' });
    await expect(opening).rejects.toThrow(code('ERR_BACKEND_MODEL'));
    expect(await tensors()).toBe(before);
  });
});

describe('stages', () => {
  it('with one checksum share a model until the last stage is closed', async () => {
    const before = await tensors();
    const { path, stage } = await openPerceptron('shared');
    const other = await backend.open({ format: 'tfjs-layers', path, checksum: 'shared' });
    expect(await tensors()).toBe(before + 4);
    await stage.dispose();
    await stage.dispose();
    await expect(stage.run({})).rejects.toThrow(code('ERR_BACKEND_CLOSED'));
    await other.run({ hidden_input: float([1, 4], ramp(4)) });
    await other.dispose();
    expect(await tensors()).toBe(before);
  });

  it('reject invalid inputs by name', async () => {
    const { stage } = await openPerceptron();
    const good = float([1, 4], ramp(4));
    const bad: [Record<string, unknown>, RegExp][] = [
      [{}, /float32\[\?, 4\].*input "hidden_input".*received nothing/],
      [{ hidden_input: good, more: good }, /an extra input "more"/],
      [{ hidden_input: { ...good, shape: [4] } }, /received shape \[4\]/],
      [{ hidden_input: { ...good, shape: [1, 5] } }, /received shape \[1,5\]/],
      [{ hidden_input: { ...good, shape: [-1, -4] } }, /received shape \[-1,-4\]/],
      [{ hidden_input: { ...good, element: 'int64' } }, /received element type int64/],
      [{ hidden_input: { ...good, data: [1, 2, 3, 4] } }, /received data of another kind/],
    ];
    for (const [inputs, message] of bad) {
      const answer = stage.run(inputs as Record<string, BackendTensor>);
      await expect(answer).rejects.toThrow(code('ERR_BACKEND_INPUT'));
      await expect(stage.run(inputs as Record<string, BackendTensor>)).rejects.toThrow(message);
    }
    await stage.dispose();
  });

  it('fail with the reason of a signal, before and during the wait', async () => {
    const { stage } = await openPerceptron();
    const inputs = { hidden_input: float([1, 4], ramp(4)) };
    const reason = new Error('gone');
    await expect(stage.run(inputs, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = stage.run(inputs, { signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect((await stage.run(inputs)).head!.shape).toEqual([1, 3]);
    await stage.dispose();
  });

  it('are closed with their backend', async () => {
    const own = tfjsBackend();
    const path = writeFiles(await layersFiles(perceptron()));
    const stage = await own.open({ format: 'tfjs-layers', path, checksum: 'own' });
    const waiting = stage.run({ hidden_input: float([1, 4], ramp(4)) });
    const settled = waiting.then(
      () => 'answered',
      (fault: { code: string }) => fault.code,
    );
    await own.dispose();
    await own.dispose();
    expect(['answered', 'ERR_BACKEND_CLOSED']).toContain(await settled);
    await expect(stage.run({})).rejects.toThrow(code('ERR_BACKEND_CLOSED'));
    await expect(own.open({ format: 'tfjs-layers', path, checksum: 'own' })).rejects.toThrow(
      code('ERR_BACKEND_CLOSED'),
    );
    await stage.dispose();
  });
});
