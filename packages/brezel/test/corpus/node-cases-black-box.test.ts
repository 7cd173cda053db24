import { expect, test } from 'vitest';
import { corpus } from './corpus.js';
import { failsAlone, runBlackBoxCases } from './node-cases-black-box.js';

// Runs a few cases. `npm run test:long` runs all cases.

test.skipIf(corpus === undefined)('node cases as black boxes', async () => {
  const { agreeing, failures } = await runBlackBoxCases(12);
  for (const [name, fault] of Object.entries(failures))
    expect([name, await failsAlone(name), fault]).toEqual([name, true, fault]);
  expect(agreeing).toBeGreaterThan(40);
});
