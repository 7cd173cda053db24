import { expect, test } from 'vitest';
import { seed } from '../../brezel/test/conformance/seed.js';
import { checkInterleavings } from './interleavings.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 20_000);
console.info(`BREZEL_FUZZ_RUNS=${runs}`);

test('random interleavings', async () => {
  const { asked, answered } = await checkInterleavings(runs, seed);
  console.info(`${answered} of ${asked} requests were answered`);
  expect(answered / asked).toBeGreaterThan(0.5);
});
