import { expect, test } from 'vitest';
import { checkDamage } from './check-damage.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 3000);

test('archives with wrong bytes', async () => {
  const { refused, whole } = await checkDamage(runs);
  console.info(`ML.NET: ${runs} damaged archives, ${refused} refused, ${whole} imported`);
  expect(refused).toBeGreaterThan(runs / 20);
});
