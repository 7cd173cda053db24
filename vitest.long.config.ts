import { defineConfig } from 'vitest/config';
import { reporters, shared } from './vitest.config.js';

/** Fuzzing and wide random tests: `BREZEL_FUZZ_RUNS` scales them, `BREZEL_SEED` repeats a run. */
export default defineConfig({
  test: {
    ...shared,
    reporters: [...reporters('long')],
    testTimeout: 3_600_000,
    include: [
      '{packages/*,native}/test/**/*.long.test.ts',
      'benchmarks/test/**/*.long.test.ts',
      'packages/*/test/**/*.fuzz.test.ts',
    ],
  },
});
