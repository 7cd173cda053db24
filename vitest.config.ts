import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { GUARD_MS } from './testing/guard.js';
import { LongestFirst } from './testing/longest-first.js';
import { drawSeed, seedReporter } from './testing/seed-reporter.js';
import { SkipReporter } from './testing/skip-reporter.js';
import { ownTemporaryFolder } from './testing/temporary-folder.js';

ownTemporaryFolder();
drawSeed();

/** Tests collect leases, which frees their references. */
const EXPOSE_GC = ['--expose-gc'];
/**
 * Most tests run each function a few times. V8 then spends a quarter of the CPU on optimizing
 * functions that it never runs again. A greater budget makes V8 optimize later; Sparkplug compiles
 * without optimizing. The long tests run with the defaults of V8. Later versions of Node have no
 * such budget and do not start with an unknown option.
 */
const FEW_RUNS = process.versions.node.startsWith('20.') ? ['--sparkplug', '--interrupt-budget=4000000'] : [];

// Packages are loaded by Node, as built: tests then run what users run, and workers and child
// processes run the same files.
export const shared = {
  pool: 'forks' as const,
  maxWorkers: '100%', // the default leaves one core idle, which is half of a small machine
  execArgv: EXPOSE_GC,
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
const include = [
  '{packages/*,native,benchmarks}/test/**/*.test.ts',
  '{examples,scripts}/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
];
/**
 * Each of these files runs in a separate process. They read or change something that the whole
 * process shares: parameters in the addon, threads, environment variables, warnings, or channels.
 */
const alone = [
  'packages/brezel/test/long-programs/steps.test.ts', // counts steps until its process ends
  'native/test/{files,loader,parameters,scheduler,tensors,threads}.test.ts',
  'packages/brezel/test/{executors,inference-session,isolation}/**/*.test.ts',
  'packages/brezel/test/docs/{examples,serving}.test.ts',
  'packages/brezel/test/fleet/{hostile,replaced-in-place,serve,snapshot}.test.ts',
  'packages/brezel/test/importing/threads.test.ts',
  'packages/brezel/test/robustness/memory.test.ts',
  'packages/brezel/test/serving/{first-answer,observation,plan-names,predict-many,re-entrancy}.test.ts',
  'packages/{onnxruntime,opentelemetry,prom-client,tfjs}/test/**/*.test.ts',
  'packages/http/test/page.test.ts',
  'packages/nats/test/**/*.test.ts',
  'packages/registry/test/shadow.test.ts',
  'packages/selection/test/**/*.test.ts',
  'packages/external/test/**/*.test.ts',
];
const exclude = [...configDefaults.exclude, '**/*.long.test.ts', '**/*.fuzz.test.ts'];

const quick = { ...shared, execArgv: [...EXPOSE_GC, ...FEW_RUNS] };

export default defineConfig({
  test: {
    reporters: [...reporters('default')],
    sequence: { sequencer: LongestFirst },
    projects: [
      // a process costs half a second, so all other files share a few processes
      { test: { ...quick, name: 'together', include, exclude: [...exclude, ...alone], isolate: false } },
      { test: { ...quick, name: 'alone', include: alone, exclude } },
    ],
  },
});
