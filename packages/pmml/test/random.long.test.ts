import { expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { compareModel } from './compare.js';
import { generate } from './generate.js';

const models = Number(process.env.BREZEL_FUZZ_RUNS ?? 2000);

test(`${models} random models answer as the evaluator in tests does`, async () => {
  let rows = 0;
  for (let model = 0; model < models; model++) rows += (await compareModel(generate(seed + model))).rows;
  console.info(`PMML: ${rows} rows of ${models} random models`);
  expect(rows).toBe(models * 24);
});
