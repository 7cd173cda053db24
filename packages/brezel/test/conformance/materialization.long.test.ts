import { test } from 'vitest';
import { checkMaterialization } from './materialization-runs.js';
import { seed } from './seed.js';

const runs = Math.ceil(Number(process.env.BREZEL_FUZZ_RUNS ?? 2000) / 20);

test(`cached results of ${runs} families of random pipelines`, async () => {
  const { hits, evictions } = await checkMaterialization(runs, seed);
  console.info(`BREZEL_FUZZ_RUNS / 20 = ${runs}: ${hits} hits, ${evictions} evictions`);
});
