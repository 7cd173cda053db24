import { createFlour } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { hasDevice } from './posing-device.js';
import { compareCutPrograms } from './random-programs.js';

const PROGRAMS = Number(process.env.BREZEL_FUZZ_RUNS ?? 120);
console.info(`BREZEL_FUZZ_RUNS=${PROGRAMS}`);
const flour = await createFlour();
afterAll(() => flour.dispose());

test.skipIf(!hasDevice)('random programs, cut for a device', async () => {
  expect(await compareCutPrograms(flour, PROGRAMS)).toBeGreaterThan(0);
});
