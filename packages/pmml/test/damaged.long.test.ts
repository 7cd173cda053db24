import { expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { damage } from './damage.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 20_000);

test(`${runs} changed files are rejected with a code, or imported`, async () => {
  const { rejected, imported, slowest, codes } = await damage(seed, runs);
  console.info(
    `PMML: ${rejected} rejected, ${imported} imported, slowest ${slowest.toFixed(0)} ms of CPU, ${JSON.stringify(codes)}`,
  );
  expect(rejected).toBeGreaterThan(runs / 10);
  expect(imported).toBeGreaterThan(runs / 100);
});
