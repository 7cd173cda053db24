import { createFlour, createRuntime, type Flow, type Program } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { randomForest } from '../../../lowering/test/random.js';
import { expectNear, features, numbers, registered, rowsOf, WIDTH } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';

// What dense stages are made of, each in a plan on a device, against the same plan on the CPU.

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

  test('a decision near a tie stays here, unless it may jump', async () => {
    const program = flour.program({ y: (x().linear({ weights: numbers(WIDTH) }) as Flow<'scalar'>).threshold(0) });
    const careful = registered(runtime, program.plan(), { device: 'gpu' });
    expect(runtime.placement(careful, 9).at(-1)).toMatchObject({ device: 'cpu' });
    const bold = registered(runtime, program.plan(), { device: 'gpu', lowering: { mayJump: true } });
    const rows = rowsOf(40);
    const answers = await runtime.predictBatch(bold, rows);
    const agreed = answers.filter((answer, at) => answer.y === runtime.predictSync(careful, rows[at]!).y).length;
    expect(agreed, 'but for ties').toBeGreaterThan(36);
    expect(runtime.stats().devices[0]!.stages[0]).toMatchObject({ rows: 40 });
  });
});
