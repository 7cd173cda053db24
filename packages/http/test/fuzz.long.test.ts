import { createRegistry } from 'brezel';
import { expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { startServer } from '../dist/index.js';
import { addModels, fuzz, selections } from './fuzz.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 30_000);

test('random requests get a documented status and body', async () => {
  const registry = await createRegistry();
  addModels(registry);
  const { app, close } = await startServer({ registry, port: 0, selections });
  const counts = await fuzz(app, runs, seed);
  console.info(`BREZEL_FUZZ_RUNS=${runs}: ${JSON.stringify(Object.fromEntries(counts))}`);
  expect(counts.get(200)).toBeGreaterThan(runs / 100);
  await close();
  await registry.close();
});
