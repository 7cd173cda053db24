import { expect, test } from 'vitest';
import { seed } from '../../brezel/test/conformance/seed.js';
import { checkInterleavings } from './interleavings.js';

test('every request has an answer of an expected version, and the memory budget is never exceeded', async () => {
  const { asked, answered } = await checkInterleavings(150, seed);
  console.info(`${answered} of ${asked} requests were answered`);
  expect(answered / asked).toBeGreaterThan(0.5);
});
