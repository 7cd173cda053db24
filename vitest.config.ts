import { configDefaults, defineConfig } from 'vitest/config';

// Packages are loaded by Node, as built: tests then run what users run, and workers and child processes run the same files.
export const shared = {
  pool: 'forks' as const,
  maxWorkers: '100%', // the default leaves one core idle, which is half of a small machine
  execArgv: ['--expose-gc'], // leases that are collected give their reference back: a test makes it happen
  testTimeout: 60_000,
  hookTimeout: 60_000,
  server: { deps: { external: [/\/packages\/[^/]+\/dist\//, /\/native\/index\.cjs$/] } },
};

/** Results for people, and counts for .ci/run. */
export const reporters = (name: string) => ['default', ['json', { outputFile: `test-results/${name}.json` }]] as const;

export default defineConfig({
  test: {
    ...shared,
    reporters: [...reporters('default')],
    include: [
      'packages/*/test/**/*.test.ts',
      'native/test/**/*.test.ts',
      'benchmarks/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    exclude: [...configDefaults.exclude, '**/*.long.test.ts', '**/*.fuzz.test.ts'],
  },
});
