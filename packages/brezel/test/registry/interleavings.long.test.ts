import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { checkInterleavings } from './interleavings.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 20_000);
console.info(`BREZEL_FUZZ_RUNS=${runs}`);

test('random interleavings', () => checkInterleavings(runs, seed));
