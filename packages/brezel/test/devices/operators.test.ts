import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, defineOperator, type Flow, type Program } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { randomForest } from '../../../lowering/test/random.js';
import { expectNear, features, numbers, registered, rowsOf, WIDTH } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';

// Compares the operators of dense stages on a device with the same plan on the CPU.

const flour = await createFlour();
const device = new PosingDevice();
const runtime = createRuntime({ store: flour.store, backends: [device] });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const x = () => features(flour);
const norms = (centers: readonly number[]) =>
  Array.from({ length: centers.length / WIDTH }, (_, at) =>
    centers.slice(at * WIDTH, (at + 1) * WIDTH).reduce((sum, value) => sum + value * value, 0),
  );
const centers = numbers(5 * WIDTH);
const forest = (depth: number, missing = false) =>
  x().treeEnsemble(randomForest({ trees: 40, depth, features: WIDTH, targets: 2, missing }));

const flows: [string, () => Flow][] = [
  ['a linear model', () => x().linear({ weights: numbers(WIDTH), bias: 0.5 })],
  ['a projection', () => x().project({ components: numbers(6 * WIDTH), mean: numbers(WIDTH) })],
  ['a chain of layers', () => x().mlp({ layers: [3, 7, 2].map((size, at, all) => layer(all[at - 1] ?? WIDTH, size)) })],
  ['k-means, its distances', () => x().kMeansDistances({ centers, squaredNorms: norms(centers) })],
  ['a shallow forest', () => forest(4)],
  ['a deep forest', () => forest(12)],
  ['a forest that knows missing values', () => forest(5, true)],
];
const layer = (inputs: number, outputs: number) => ({
  weights: numbers(inputs * outputs),
  bias: numbers(outputs),
  activation: 'tanh' as const,
});

describe.skipIf(!hasDevice)('on a device', () => {
  test.each(flows)('%s', async (_, flow) => {
    const program: Program = flour.program({ y: flow() });
    const plan = registered(runtime, program.plan(), { device: 'gpu', lowering: { maxBatch: 100 } });
    const rows = rowsOf(250).map(({ x }, at) => {
      if (at % 10 === 0) x[at % WIDTH] = Number.NaN;
      return { x };
    });
    const answers = await runtime.predictBatch(plan, rows);
    answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at]!)));
    const stages = runtime.stats().devices[0]!.stages;
    expect(stages.length).toBeGreaterThan(0);
    for (const stage of stages) expect(stage).toMatchObject({ rows: 250, failures: 0, state: 'ready' });
    runtime.unregister(plan);
  });

  test('a decision near a tie runs on the CPU, unless mayJump is set', async () => {
    const program = flour.program({
      y: (x().linear({ weights: numbers(WIDTH) }) as Flow as Flow<'scalar'>).threshold(0),
    });
    const careful = registered(runtime, program.plan(), { device: 'gpu' });
    expect(runtime.placement(careful, 9).at(-1)).toMatchObject({ device: 'cpu' });
    const bold = registered(runtime, program.plan(), { device: 'gpu', lowering: { mayJump: true } });
    const rows = rowsOf(40);
    const answers = await runtime.predictBatch(bold, rows);
    const agreed = answers.filter((answer, at) => answer.y === runtime.predictSync(careful, rows[at]!).y).length;
    expect(agreed, 'but for ties').toBeGreaterThan(36);
    expect(runtime.stats().devices[0]!.stages[0]).toMatchObject({ rows: 40 });
    for (const plan of [careful, bold]) runtime.unregister(plan);
  });

  test('the CPU decides among scores with NaN', async () => {
    const scores = x().mlp({ layers: [{ weights: numbers(WIDTH * 4), bias: numbers(4) }] });
    const program = flour.program({ y: scores.argMax() });
    const plan = registered(runtime, program.plan(), { device: 'gpu', lowering: { mayJump: true } });
    const rows = rowsOf(60).map(({ x }, at) => {
      if (at % 4 === 0) x[at % WIDTH] = [Number.NaN, Infinity, -Infinity][(at / 4) % 3]!;
      return { x };
    });
    const answers = await runtime.predictBatch(plan, rows);
    const differing = answers.filter(({ y }, at) => y !== runtime.predictSync(plan, rows[at]!).y);
    expect(differing.length, 'but for ties').toBeLessThan(3);
    answers.forEach(({ y }, at) => {
      if (at % 4 === 0) expect(y, `row ${at}`).toBe(runtime.predictSync(plan, rows[at]!).y);
    });
    expect(runtime.stats().devices[0]!.stages[0]).toMatchObject({ rows: 60, repairedRows: 15, failures: 0 });
    runtime.unregister(plan);
  });

  test('stages after a black box and before a custom operator', async () => {
    const absolute = defineOperator({
      name: 'test-devices/absolute',
      inputs: ['float32[2]'],
      output: 'float32[2]',
      run: (values) => values.map(Math.abs),
    });
    const halves = writeModel(
      makeModel(
        makeGraph({
          node: [makeNode('Mul', ['v', 'half'], ['w'])],
          initializer: [makeTensor('half', 'float32', [], Float32Array.of(0.5))],
          input: [tensorInput('v', DataType.FLOAT, ['N', WIDTH])],
          output: [tensorInput('w', DataType.FLOAT, ['N', WIDTH])],
        }),
        { '': 17 },
      ),
    );
    const boxed = x().normalize('l2').blackBox(halves, { size: WIDTH }) as Flow<'vector'>;
    const y = boxed.mlp({ layers: [layer(WIDTH, 2)] }).custom(absolute);
    const plan = registered(runtime, flour.program({ y }).plan(), { device: 'gpu' });
    const rows = rowsOf(300);
    const [answers, wanted] = await Promise.all([
      runtime.predictBatch(plan, rows),
      runtime.predictBatch(plan, rows, { engine: 'reference' }),
    ]);
    answers.forEach((answer, at) => expectNear(answer, wanted[at]));
    expectNear(await runtime.predict(plan, rows[0]!), wanted[0]);
    expect(runtime.stats().devices[0]!.stages[0]).toMatchObject({ rows: 301, failures: 0 });
    runtime.unregister(plan);
  });

  test('a custom operator with a deadline is rejected, because it runs on workers', async () => {
    const slow = defineOperator({
      name: 'test-devices/slow',
      inputs: ['float32[2]'],
      output: 'float32[2]',
      deadlineMs: 50,
      run: (values) => values,
    });
    const url = new URL('./none.mjs', import.meta.url);
    await using isolating = createRuntime({ store: flour.store, backends: [device], operatorModules: [url] });
    const plan = flour
      .program({
        y: x()
          .mlp({ layers: [layer(WIDTH, 2)] })
          .custom(slow),
      })
      .plan();
    const refused = expect.objectContaining({
      code: 'ERR_RUNTIME_OPTION',
      message: expect.stringContaining('received an operator with a deadline'),
    });
    expect(() => isolating.register(plan, { device: 'gpu' })).toThrow(refused);
    expect(isolating.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
    plan.release();
  });
});
