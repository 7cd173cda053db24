import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { GUARD_MS } from './testing/guard.js';
import { LongestFirst } from './testing/longest-first.js';
import { drawSeed, seedReporter } from './testing/seed-reporter.js';
import { SkipReporter } from './testing/skip-reporter.js';
import { ownTemporaryFolder } from './testing/temporary-folder.js';

ownTemporaryFolder();
drawSeed();

// Packages are loaded by Node, as built: tests then run what users run, and workers and child
// processes run the same files.
export const shared = {
  pool: 'forks' as const,
  maxWorkers: '100%', // the default leaves one core idle, which is half of a small machine
  execArgv: ['--expose-gc'], // tests collect leases, which frees their references
  setupFiles: [fileURLToPath(new URL('testing/quiet-warnings.ts', import.meta.url))],
  testTimeout: GUARD_MS,
  hookTimeout: GUARD_MS,
  teardownTimeout: GUARD_MS,
  server: { deps: { external: [/\/packages\/[^/]+\/dist\//, /\/native\/index\.cjs$/] } },
};

/**
 * Results for people, counts for .ci/run, reasons of skipped tests, and the seed of a failed run.
 */
export const reporters = (name: string) =>
  ['default', ['json', { outputFile: `test-results/${name}.json` }], new SkipReporter(), seedReporter] as const;

/** A test of one unit is next to it: `x.test.ts` for `x.ts`. */
const nextToUnits = 'packages/*/src/**/*.test.ts';
const all = ['{packages/*,native,benchmarks}/test/**/*.test.ts', '{examples,scripts}/**/*.test.ts', nextToUnits];
/**
 * A process for each file costs half a second: these keep nothing in a process that others could
 * meet, and take turns in one.
 */
const together = [
  'packages/brezel/test/{conformance,corpus,devices,explain,tensors,text}/**/*.test.ts',
  'packages/brezel/test/docs/{architecture,fleet-files,glossary,readme,registry}.test.ts',
  'packages/brezel/test/fleet/{compare-plans,formats}.test.ts',
  'packages/brezel/test/robustness/{instrument,malformed-programs,refused-rows,strategies,tensor-rows}.test.ts',
  'packages/brezel/test/serving/{engine-choice,inspect}.test.ts',
  'packages/brezel/test/types/types.test.ts',
  'native/test/{boundary,columns,kernels,numeric-kernels,results,rows-of-bytes,tensors}.test.ts',
  'packages/{cli,fleet-file,flour,gbdt,lowering,mlnet,object-store,onnx,oven,runtime,tensors,text}/test/**/*.test.ts',
  nextToUnits,
  'benchmarks/test/**/*.test.ts',
  '{examples,scripts}/**/*.test.ts',
];
const exclude = [...configDefaults.exclude, '**/*.long.test.ts', '**/*.fuzz.test.ts'];

export default defineConfig({
  test: {
    reporters: [...reporters('default')],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...shared, name: 'together', include: together, exclude, isolate: false } },
      { test: { ...shared, name: 'alone', include: all, exclude: [...exclude, ...together] } },
    ],
  },
});
