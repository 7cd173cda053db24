import { defineConfig } from 'vitest/config';
import { LongestFirst } from './testing/longest-first.js';
import { reporters, shared } from './vitest.config.js';

/** Fuzzing and wide random tests: `BREZEL_FUZZ_RUNS` scales them, `BREZEL_SEED` repeats a run. */
export default defineConfig({
  test: {
    ...shared,
    reporters: [...reporters('long')],
    testTimeout: 3_600_000,
    sequence: { sequencer: LongestFirst },
    include: [
      '{packages/*,native}/test/**/*.long.test.ts',
      'benchmarks/test/**/*.long.test.ts',
      'packages/*/test/**/*.fuzz.test.ts',
    ],
  },
});
