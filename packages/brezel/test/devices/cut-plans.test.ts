import { createFlour, createRuntime, explain, type Flow, type Program, placePlan, type Runtime } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { expectNear, features, numbers, registered, rowsOf, WIDTH } from './plans.js';
import { hasDevice, PosingDevice } from './posing-device.js';
import { compareCutPrograms, freeCalls as profile } from './random-programs.js';

// Plans are cut for a device: adjacent stages run there in one call. Unsupported operators stay on
// the CPU, even if Oven merged them with supported ones into one stage.

const flour = await createFlour();
const device = new PosingDevice();
const runtime: Runtime = createRuntime({ store: flour.store, backends: [device], device: { profile } });
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

const layer = (inputs: number, outputs: number) => ({
  weights: numbers(inputs * outputs),
  bias: numbers(outputs),
  activation: 'tanh' as const,
});
const programOf = (y: Flow): Program => flour.program({ y });
const value = (id: string) => flour.store.get(id);

/** Programs with a shared stage of features and a model. Oven does not merge the two stages. */
const projected = () =>
  programOf(
    features(flour)
      .project({ components: numbers(8 * WIDTH), mean: numbers(WIDTH) })
      .mlp({ layers: [layer(8, 2)] }),
  );

/** Oven puts the first network and the norm into one stage. */
const sandwich = () =>
  programOf(
    (
      features(flour)
        .mlp({ layers: [layer(WIDTH, 16)] })
        .normalize('l2') as Flow<'vector'>
    ).mlp({ layers: [layer(16, 3)] }),
  );

const reviews = () =>
  flour.program({
    y: flour
      .columns({ text: 'string' })
      .select('text')
      .tokenize()
      .wordNgram({ vocabulary: [['good'], ['bad'], ['film']] })
      .mlp({ layers: [layer(3, 16), layer(16, 2)] }),
  });

async function answered(program: Program, rows: readonly object[], lowering = {}) {
  const plan = registered(runtime, program.plan(), { device: 'gpu', lowering });
  device.calls.length = 0;
  const answers = await runtime.predictBatch(plan, rows as Record<string, unknown>[]);
  answers.forEach((answer, at) => expectNear(answer, runtime.predictSync(plan, rows[at] as Record<string, unknown>)));
  const { stages } = runtime.stats().devices[0]!;
  const placement = runtime.placement(plan, rows.length);
  const told = explain(program, { place: () => placement });
  runtime.unregister(plan);
  expect(runtime.stats()).toMatchObject({ plans: [], stages: { distinct: 0 } });
  return { stages, placement, told, calls: [...device.calls] };
}

describe.skipIf(!hasDevice)('on a device', () => {
  test('neighboring stages run in one call, and values between them are not transferred', async () => {
    const rows = rowsOf(90);
    const { stages, placement, told, calls } = await answered(projected(), rows);
    expect(calls).toEqual([90]);
    expect(stages).toMatchObject([{ rows: 90, transferBytes: 90 * 4 * (WIDTH + 2), failures: 0 }]);
    expect(placement).toMatchObject([
      { stage: 0, device: 'gpu', transferBytes: 90 * 4 * (WIDTH + 2), joined: [1] },
      { stage: 1, device: 'gpu', transferBytes: 0, joined: [0] },
    ]);
    expect(told).toMatch(/device: gpu \(posing-gpu\), 9\.4 KB transferred, in one call with stage 2: requested/);
    expect(told).toMatch(/device: gpu \(posing-gpu\), in one call with stage 1: requested/);
  });

  test('with keepStages they run in separate calls, which plans with an equal stage share', async () => {
    const rows = rowsOf(90);
    const { stages, placement, calls } = await answered(projected(), rows, { keepStages: true });
    expect(calls).toEqual([90, 90]);
    expect(stages.length).toBe(2);
    expect(placement.map(({ joined }) => joined)).toEqual([undefined, undefined]);
  });

  test('if a stage contains an unsupported operator, only the other operators run on the device', async () => {
    const { stages, placement, told } = await answered(sandwich(), rowsOf(90));
    expect(stages.map(({ rows }) => rows)).toEqual([90, 90]);
    expect(placement).toMatchObject([
      { device: 'gpu', steps: [0], transferBytes: 90 * 4 * (WIDTH + 16) },
      { device: 'gpu', transferBytes: 90 * 4 * (16 + 3) },
    ]);
    expect(placement[1]!.steps).toBeUndefined();
    expect(told).toMatch(/device: gpu \(posing-gpu\) for s1\.1, 14\.4 KB transferred: requested/);
  });

  test('a layer that reads sparse features stays on the CPU, and the next layer runs on the device', async () => {
    const rows = ['a good film', 'bad', '', 'good good bad'].map((text) => ({ text }));
    const { stages, placement } = await answered(reviews(), rows);
    expect(stages).toMatchObject([{ rows: 4, transferBytes: 4 * 4 * (16 + 2) }]);
    expect(placement.at(-1)).toMatchObject({ device: 'gpu', steps: [1] });
  });

  test('a stage is not divided if the device is slower even for the largest call', async () => {
    const [program, rows] = [sandwich(), rowsOf(40)];
    const dear = { ...profile, callMicros: 1e6 };
    const slow = createRuntime({ store: flour.store, backends: [device], device: { profile: dear } });
    const plan = registered(slow, program.plan(), { device: 'gpu' });
    const placement = slow.placement(plan, 40);
    expect(placement).toMatchObject([{ device: 'cpu' }, { device: 'gpu' }]);
    expect(placement[0]!.why).toMatch(/faster from \d+ rows, but calls have at most 4096/);
    const answers = await slow.predictBatch(plan, rows);
    answers.forEach((answer, at) => expectNear(answer, slow.predictSync(plan, rows[at]!)));
    await slow.close();
    const owned = program.plan();
    expect(placePlan(owned, value, { rows: 40, gpu: profile })).toMatchObject([
      { device: 'gpu', steps: [0], operators: ['dense', 'normalize'] },
      { device: 'gpu' },
    ]);
    owned.release();
  });

  test('values that a later decision reads are exact in every stage', async () => {
    const scores = features(flour)
      .mlp({ layers: [layer(WIDTH, 16)] })
      .normalize('l2') as Flow<'vector'>;
    const program = flour.program({ y: scores.mlp({ layers: [layer(16, 4)] }).argMax() });
    const careful = registered(runtime, program.plan(), { device: 'gpu' });
    const told = explain(program, { place: () => runtime.placement(careful, 9) });
    expect(told).toContain('device: cpu: inexact on the device, and a decision depends on it');
    const rows = rowsOf(30);
    const wanted = rows.map((row) => runtime.predictSync(careful, row));
    expect(await runtime.predictBatch(careful, rows), 'bit for bit').toEqual(wanted);
    runtime.unregister(careful);
    const { stages } = await answered(program, rowsOf(1), { mayJump: true });
    expect(stages.length).toBeGreaterThan(0);
  });

  test('random programs: on the CPU, the divided plan has the bits of the original plan', async () => {
    expect(await compareCutPrograms(flour, 8)).toBeGreaterThan(0);
  });
});
