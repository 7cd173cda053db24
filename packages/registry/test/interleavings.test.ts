import { expect, test } from 'vitest';
import { seed } from '../../brezel/test/conformance/seed.js';
import { checkInterleavings } from './interleavings.js';

test('every answer is of a version that was meant, none is lost, the budget is kept', async () => {
  const { asked, answered } = await checkInterleavings(150, seed);
  console.info(`${answered} of ${asked} requests were answered`);
  expect(answered / asked).toBeGreaterThan(0.5);
});
