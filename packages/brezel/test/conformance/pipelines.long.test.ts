import { test } from 'vitest';
import { checkPipelines } from './check-pipelines.js';
import { seed } from './seed.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 1000);

test(`${runs} random pipelines over random texts`, async () => {
  const { texts, pipelines, native } = await checkPipelines(runs, 24, seed);
  console.info(`BREZEL_FUZZ_RUNS=${runs}: ${texts} texts over ${pipelines} pipelines, ${native} of them native`);
});
