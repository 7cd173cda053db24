import { defineConfig } from 'vitest/config';
import { LongestFirst } from './testing/longest-first.js';
import { reporters, shared } from './vitest.config.js';

/** After this many milliseconds, the runner ends a long test that hangs. */
const LONG_GUARD_MS = 1_200_000;
/** The same for a run of many hours, which `BREZEL_FUZZ_RUNS` or `SOAK_MINUTES` starts. */
const HOURS_GUARD_MS = 24 * 3_600_000;
const isOfHours = process.env.BREZEL_FUZZ_RUNS !== undefined || process.env.SOAK_MINUTES !== undefined;

/** Fuzzing and wide random tests: `BREZEL_FUZZ_RUNS` scales them, `BREZEL_SEED` repeats a run. */
export default defineConfig({
  test: {
    ...shared,
    reporters: [...reporters('long')],
    testTimeout: isOfHours ? HOURS_GUARD_MS : LONG_GUARD_MS,
    sequence: { sequencer: LongestFirst },
    include: [
      '{packages/*,native}/test/**/*.long.test.ts',
      'benchmarks/test/**/*.long.test.ts',
      'packages/*/test/**/*.fuzz.test.ts',
    ],
  },
});
