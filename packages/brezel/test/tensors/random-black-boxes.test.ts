import { onnxruntimeBackend } from 'brezel';
import { expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { checkRandomBlackBoxes } from './random-black-boxes.js';

const { available, why } = await onnxruntimeBackend().probe();
if (!available) console.warn(`black boxes are not run: ${why}`);

test.skipIf(!available)('random graphs, some of their operators in black boxes', async () => {
  const { boxes } = await checkRandomBlackBoxes(20, seed);
  expect(boxes).toBeGreaterThan(10);
});
