import { expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { compareModel } from './compare.js';
import { generate } from './generate.js';

const MODELS = 30;

test(`${MODELS} random models answer as the evaluator in tests does`, async () => {
  let [rejected, missing, rows] = [0, 0, 0];
  for (let model = 0; model < MODELS; model++) {
    const counts = await compareModel(generate(seed + model));
    rejected += counts.rejected;
    missing += counts.missing;
    rows += counts.rows;
  }
  // The models must not only reject rows, or only answer with missing predictions.
  expect(rejected + missing).toBeLessThan(rows * 0.8);
  expect(missing).toBeGreaterThan(0);
});
