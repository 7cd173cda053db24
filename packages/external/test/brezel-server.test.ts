import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { externalPredictor } from '@brezel/external';
import { inferenceRoutes } from '@brezel/http';
import { createFlour, createRegistry, createRuntime, packFleet, type ScalarType, scalar, tensor, vector } from 'brezel';
import { fastify } from 'fastify';
import { afterAll, expect, test } from 'vitest';

// A predictor whose server is another Brezel. The server supports binary tensors.

const flour = await createFlour();
const registry = await createRegistry({ store: flour.store });
const types = {
  text: scalar('string'),
  f32: vector('float32', 3),
  f64: vector('float64', 2),
  i32: vector('int32', 2),
  i64: vector('int64', 2),
  flag: vector('bool', 2),
  grid: tensor('float32', [2, 2]),
} as const;
const echoed = Object.entries(types).map(([name, type]) => [`${name}_out`, flour.input(name, type as ScalarType)]);
registry.add('echo', flour.program(Object.fromEntries(echoed), { name: 'echo' }).plan());
const app = fastify();
await app.register(inferenceRoutes, { registry });
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const predictor = await externalPredictor({ urls: [url], model: 'echo', version: '1', maxBatch: 2 });
const runtime = createRuntime({ store: flour.store, backends: [predictor] });
const plan = predictor.program(flour).plan();
const registered = runtime.register(plan);
afterAll(async () => {
  await runtime.close();
  await predictor.close();
  await app.close();
  await registry.close();
});

const WIDE = 2n ** 63n - 1n;
const rows = [
  {
    text: 'a "quoted" text é😀',
    f32: [0.1, Number.NaN, -0],
    f64: [Math.PI, Number.NEGATIVE_INFINITY],
    i32: [-(2 ** 31), 7],
    i64: [WIDE, -1n],
    flag: [true, false],
    grid: [1, 2, 3, 4],
  },
  {
    text: '',
    f32: [1, 2, 3],
    f64: [5e-324, 1e308],
    i32: [0, 1],
    i64: [0, 1],
    flag: [false, false],
    grid: [0, 0, 0, 1],
  },
  { text: 'x', f32: [1, 2, 3], f64: [0, 0], i32: [0, 1], i64: [0, 1], flag: [true, true], grid: [9, 8, 7, 6] },
] as never[];

test('the answers have the same bits as those of the server', async () => {
  const answers = await runtime.predictBatch(registered, rows);
  expect(answers).toEqual(await registry.predictBatch('echo', rows));
  expect(Object.is((answers[0] as unknown as { f32_out: number[] }).f32_out[2], -0)).toBe(true);
  expect(answers[0]).toMatchObject({
    i64_out: [WIDE, -1],
    grid_out: [
      [1, 2],
      [3, 4],
    ],
  });
});

test('an error of the server contains its text, and the replica still receives requests', async () => {
  const missing = await externalPredictor({ urls: [url], model: 'echo', inputs: { nothing: scalar('float32') } });
  const own = createRuntime({ store: flour.store, backends: [missing] });
  const failed = own.predict(own.register(missing.program(flour, { outputs: ['f32_out'] }).plan()), { nothing: 1 });
  await expect(failed).rejects.toMatchObject({ code: 'ERR_EXTERNAL_REPLICA' });
  await expect(failed).rejects.toThrow(/status 400: .*nothing/);
  expect(missing.stats().replicas[0]!.state).toBe('up');
  await own.close();
  await missing.close();
});

test('a fleet file cannot contain the model', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-external-'));
  try {
    const packed = packFleet([{ plan }], join(folder, 'fleet.brezel'), { store: flour.store });
    await expect(packed).rejects.toMatchObject({
      code: 'ERR_FLEET_STAGE',
      hint: expect.stringContaining('a model of another server'),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
