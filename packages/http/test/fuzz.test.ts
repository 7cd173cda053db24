import { createRegistry } from 'brezel';
import { expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { startServer } from '../dist/index.js';
import { addModels, fuzz, selections } from './fuzz.js';

test('random requests get a documented status and body', async () => {
  const registry = await createRegistry();
  addModels(registry);
  const { app, close } = await startServer({ registry, port: 0, selections });
  const counts = await fuzz(app, 2000, seed);
  expect(counts.get(200)).toBeGreaterThan(50);
  expect(counts.get(400)).toBeGreaterThan(50);
  await close();
  await registry.close();
});
