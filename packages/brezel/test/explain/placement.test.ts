import {
  createFlour,
  createRuntime,
  defaultGpu,
  drawPlans,
  explain,
  explainAnalyze,
  type Flow,
  type Program,
  placePlan,
  vector,
} from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { hasDevice, PosingDevice } from '../devices/posing-device.js';
import { crowdedTexts, geometryFaults, readPicture } from './picture.js';

// EXPLAIN shows where each stage runs: as text, JSON, DOT and SVG.

const WIDTH = 256;
const flour = await createFlour();
afterAll(() => flour.dispose());
const layer = (value: number) => ({
  weights: new Array<number>(WIDTH * WIDTH).fill(value),
  bias: new Array<number>(WIDTH).fill(0),
  activation: 'relu' as const,
});
const program: Program = flour.program({
  y: (flour.input('x', vector('float32', WIDTH)) as Flow<'vector'>)
    .normalize('l2')
    .mlp({ layers: [layer(1), layer(2)] }),
});
const value = (id: string) => flour.store.get(id);
const place = (rows: number) => ({
  place: (plan: Parameters<typeof placePlan>[0]) => placePlan(plan, value, { rows, gpu: defaultGpu }),
});

test('as text: device, transfers, reason and crossover', () => {
  const lines = explain(program, place(1024)).split('\n');
  const devices = lines.filter((line) => line.startsWith('  device: '));
  expect(devices).toEqual([
    '  device: cpu: operator normalize',
    expect.stringMatching(
      /^ {2}device: gpu, 2\.1 MB transferred: \d+ µs on the CPU, \d+ µs on the GPU; faster from \d+ rows$/,
    ),
  ]);
  expect(explain(program, place(1))).toMatch(/device: cpu: .* µs on the CPU, .* µs on the GPU; faster from/);
  expect(explain(program)).not.toContain('device:');
});

test('a black box runs on the provider of its backend', () => {
  const x = flour.input('x', vector('float32', 3));
  const boxed = flour.program({ y: x.blackBox(Uint8Array.of(0), { size: 1 }).arithmetic('multiply', 2) });
  const box = (device: 'cpu' | 'gpu') =>
    explain(boxed, { place: (plan) => placePlan(plan, value, { rows: 100, gpu: defaultGpu, device }) });
  expect(box('gpu')).toContain('  device: gpu, 1.6 KB transferred: a black box: where its backend has a provider');
  expect(box('cpu')).toContain('  device: cpu: a black box: its backend runs it');
});

test('as JSON: the same facts, and no model', () => {
  const { stages } = JSON.parse(explain(program, { ...place(1024), format: 'json' }));
  expect(stages.map(({ placement }: { placement: object }) => placement)).toEqual([
    { device: 'cpu', transferBytes: 0, why: 'operator normalize' },
    { device: 'gpu', transferBytes: 1024 * 2 * 4 * WIDTH, why: expect.any(String), fromRows: expect.any(Number) },
  ]);
});

test('for Graphviz, and as a picture', async () => {
  const dot = explain(program, { ...place(1024), format: 'dot' });
  expect(dot).toContain('on the cpu\\l');
  expect(dot).toContain('on the gpu, 2.1 MB transferred\\l');
  const picture = readPicture(await drawPlans(program, place(1024)));
  expect([...geometryFaults(picture), ...crowdedTexts(picture)]).toEqual([]);
  const words = picture.texts.map((text) => text.content);
  expect(words).toEqual(expect.arrayContaining(['on the cpu', 'on the gpu, 2.1 MB transferred']));
  const rows = [{ x: new Array<number>(WIDTH).fill(1) }];
  const measured = readPicture(await explainAnalyze(program, rows, { ...place(1024), durationMs: 5, format: 'svg' }));
  expect([...geometryFaults(measured), ...crowdedTexts(measured)]).toEqual([]);
});

test.skipIf(!hasDevice)('of a registered plan: the current placement of the runtime', async () => {
  const device = new PosingDevice();
  await using runtime = createRuntime({ store: flour.store, backends: [device] });
  const plan = program.plan();
  const registered = runtime.register(plan, { device: 'gpu' });
  plan.release();
  await runtime.warm(registered);
  const told = () => explain(program, { place: () => runtime.placement(registered, 100) });
  expect(told()).toContain('device: gpu (posing-gpu), 204.8 KB transferred: requested; faster from');
  device.fault = () => Promise.reject(new Error('unplugged'));
  await runtime.predict(registered, { x: new Array<number>(WIDTH).fill(1) });
  expect(told()).toContain('device: cpu: resting: unplugged');
});

test('a placement of another plan is rejected', () => {
  const before = flour.store.stats().objects;
  expect(() => explain(program, { place: () => [] })).toThrow(
    expect.objectContaining({ code: 'ERR_OVEN_PLACEMENT', message: expect.stringContaining('each of the 2 stages') }),
  );
  expect(flour.store.stats().objects, 'the plan is let go').toBe(before);
});
