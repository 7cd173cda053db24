import { onnxruntimeBackend } from 'brezel';
import { expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { checkRandomRowBoxes } from './random-row-boxes.js';

const { available, why } = await onnxruntimeBackend().probe();
if (!available) console.warn(`black boxes are not run: ${why}`);

test.skipIf(!available)('random graphs over rows, some of their operators in black boxes', async () => {
  const { boxes } = await checkRandomRowBoxes(4, seed);
  expect(boxes).toBeGreaterThan(0);
});
