import { expect, test } from 'vitest';
import { checkMaterialization } from './materialization-runs.js';
import { seed } from './seed.js';

test('families of random pipelines give the same bits with and without cached results', async () => {
  const { hits, evictions } = await checkMaterialization(6, seed);
  expect(hits).toBeGreaterThan(50);
  expect(evictions).toBeGreaterThan(0);
});
