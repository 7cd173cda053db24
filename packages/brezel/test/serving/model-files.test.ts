import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import {
  createFlour,
  createRuntime,
  type Flow,
  type OwnedPlan,
  onnxruntimeBackend,
  packFleet,
  tensor,
  tfjsBackend,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from '../../../../testing/until.js';
import { randomForest } from '../../../lowering/test/random.js';
import { numbers } from '../devices/plans.js';

// Whole networks in plans: networks of TensorFlow.js from files, and a network that converts images
// for a forest.

const folder = mkdtempSync(join(tmpdir(), 'brezel-model-files-'));
const flour = await createFlour();
const [tensorFlow, onnx] = [tfjsBackend(), onnxruntimeBackend({ workers: 1 })];
const [tfjs, onnxruntime] = await Promise.all([tensorFlow.probe(), onnx.probe()]);
for (const { available, name, why } of [tfjs, onnxruntime]) if (!available) console.warn(`${name} is left out: ${why}`);
const runtime = createRuntime({ store: flour.store, backends: [onnx, tensorFlow] });
afterAll(async () => {
  await runtime.close();
  await Promise.all([tensorFlow.dispose(), onnx.dispose()]);
  flour.dispose();
  rmSync(folder, { recursive: true });
});

const [weights, bias] = [numbers(8), numbers(2)];

/** A layer of four inputs and two outputs, as `model.save` writes it. */
function layerFiles(name: string): string {
  const config = { name: 'dense', units: 2, activation: 'tanh', use_bias: true, batch_input_shape: [null, 4] };
  const specs = [
    { name: 'dense/kernel', shape: [4, 2], dtype: 'float32' },
    { name: 'dense/bias', shape: [2], dtype: 'float32' },
  ];
  const layers = [{ class_name: 'Dense', config }];
  const json = {
    format: 'layers-model',
    modelTopology: { class_name: 'Sequential', config: { name, layers } },
    weightsManifest: [{ paths: ['weights.bin'], weights: specs }],
  };
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'model.json'), JSON.stringify(json));
  writeFileSync(join(path, 'weights.bin'), Float32Array.from([...weights, ...bias]));
  return path;
}

const x = () => flour.input('x', vector('float32', 4)) as Flow<'vector'>;
const rowsOf = (count: number) => Array.from({ length: count }, () => ({ x: numbers(4) }));

async function answers(plan: OwnedPlan, rows: readonly object[]) {
  const registered = runtime.register(plan);
  plan.release();
  try {
    return (await runtime.predictBatch(registered, rows as never)).map(({ y }) => [...(y as number[])]);
  } finally {
    runtime.unregister(registered);
  }
}

describe.skipIf(!tfjs.available)('a model of TensorFlow.js', () => {
  const path = layerFiles('head');
  const model = { format: 'tfjs-layers', path, checksum: 'head of model-files' } as const;
  const after = (flow: Flow<'vector'>) => flow.blackBox(model, { size: 2 });

  test('between supported operators gives the answers of the same layer in Brezel', async () => {
    const rows = rowsOf(300);
    const scaled = () => x().scale({ offset: [1, 1, 1, 1], scale: [2, 2, 2, 2] });
    const layers = [{ weights, bias, activation: 'tanh' as const }];
    const ours = await answers(flour.program({ y: scaled().mlp({ layers }).map('abs') }).plan(), rows);
    const theirs = await answers(flour.program({ y: after(scaled()).map('abs') }).plan(), rows);
    expect(theirs.length).toBe(300);
    theirs.flat().forEach((value, at) => expect(value).toBeCloseTo(ours.flat()[at]!, 5));
  });

  test('is opened once for all plans, and closed with the last plan', async () => {
    const plans = [1, 2].map((factor) => flour.program({ y: after(x()).arithmetic('multiply', factor) }).plan());
    const registered = plans.map((plan, at) => runtime.register(plan, { name: `plan ${at}` }));
    for (const plan of plans) plan.release();
    const [row] = rowsOf(1);
    const [one, two] = await Promise.all(registered.map((plan) => runtime.predict(plan, row!)));
    expect((two!.y as number[])[0]).toBe(Math.fround(2 * (one!.y as number[])[0]!));
    const held = async () => Object.values(await tensorFlow.memory()).reduce((sum, { tensors }) => sum + tensors, 0);
    expect(await held()).toBe(2);
    for (const plan of registered) runtime.unregister(plan);
    await until(async () => (await held()) === 0);
  });

  test('that is missing or has other sizes fails at the first answer, and other models work', async () => {
    const nowhere = { ...model, path: join(folder, 'nowhere'), checksum: 'nowhere' };
    await expect(
      answers(flour.program({ y: x().blackBox(nowhere, { size: 2 }) }).plan(), rowsOf(1)),
    ).rejects.toMatchObject({ code: 'ERR_BACKEND_MODEL', message: expect.stringMatching(/expected a file or folder/) });
    const three = flour.program({ y: x().blackBox(model, { size: 3 }) }).plan();
    await expect(answers(three, rowsOf(1))).rejects.toMatchObject({ code: 'ERR_BACKEND_MODEL' });
    expect((await answers(flour.program({ y: after(x()) }).plan(), rowsOf(1)))[0]!.length).toBe(2);
  });

  test('cannot be in a fleet file', async () => {
    const plan = flour.program({ y: after(x()) }).plan();
    const written = packFleet([plan], join(folder, 'fleet.brezel'), { store: flour.store });
    await expect(written).rejects.toMatchObject({ code: 'ERR_FLEET_STAGE', hint: expect.stringContaining('bytes') });
    plan.release();
  });
});

test('an unsupported format, and invalid files', async () => {
  await using alone = createRuntime({ store: flour.store });
  const model = { format: 'saved-model', path: 'somewhere', checksum: 'one' } as const;
  const plan = flour.program({ y: x().blackBox(model, { size: 2 }) }).plan();
  expect(() => alone.register(plan)).toThrow(
    expect.objectContaining({ code: 'ERR_BACKEND_MISSING', hint: expect.stringContaining('tfjsBackend()') }),
  );
  expect(alone.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
  plan.release();
  const wrong = [{}, { ...model, format: 'pickle' }, { ...model, path: '' }, { ...model, checksum: 7 }, null, 'file'];
  for (const one of wrong)
    expect(() => x().blackBox(one as never, { size: 2 })).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_PARAM' }));
});

describe.skipIf(!onnxruntime.available)('a network over images', () => {
  /**
   * A network from three colors to four channels: a convolution, ReLU, and the mean of each
   * channel.
   */
  const network = writeModel(
    makeModel(
      makeGraph({
        node: [
          makeNode('Conv', ['x', 'w', 'b'], ['c'], { kernel_shape: { ints: [3, 3] }, pads: { ints: [1, 1, 1, 1] } }),
          makeNode('Relu', ['c'], ['r']),
          makeNode('GlobalAveragePool', ['r'], ['p']),
          makeNode('Flatten', ['p'], ['y']),
        ],
        initializer: [
          makeTensor('w', 'float32', [4, 3, 3, 3], Float32Array.from(numbers(4 * 27))),
          makeTensor('b', 'float32', [4], Float32Array.from(numbers(4))),
        ],
        input: [tensorInput('x', DataType.FLOAT, ['N', 3, 8, 8])],
        output: [tensorInput('y', DataType.FLOAT, ['N', 4])],
      }),
      { '': 17 },
    ),
  );

  test('can be a stage before a forest', async () => {
    const forest = randomForest({ trees: 9, depth: 4, features: 4, targets: 3 });
    const images = Array.from({ length: 40 }, (_, at) => ({ x: numbers(3 * 8 * 8).map((one) => one + at / 10 - 2) }));
    const looked = flour.input('x', tensor('float32', [3, 8, 8])).blackBox(network, { size: 4 });
    const received = await answers(flour.program({ y: looked.treeEnsemble(forest) }).plan(), images);
    const stage = await onnx.open({ format: 'onnx', bytes: network, checksum: 'looks at images' });
    const data = Float32Array.from(images.flatMap((image) => image.x));
    const seen = (await stage.run({ x: { element: 'float32', shape: [40, 3, 8, 8], data } })).y!;
    await stage.dispose();
    const features = images.map((_, at) => ({ x: Array.from(seen.data as Float32Array).slice(4 * at, 4 * at + 4) }));
    const wanted = await answers(flour.program({ y: x().treeEnsemble(forest) }).plan(), features);
    expect(received).toEqual(wanted);
    expect(new Set(received.map(String)).size, 'not one answer for all').toBeGreaterThan(1);
  });
});
