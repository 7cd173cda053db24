// Runs the scheduler under load with the thread sanitizer (native/test/scheduler_stress.cpp).
// BREZEL_STRESS_CHUNKS sets the number of chunks, and BREZEL_SEED repeats a run. Then runs
// native/test and the conformance cases of all kernels with an addon built for the address and
// undefined-behavior sanitizers (Linux, GCC). The argument `threads` skips the second step. Other
// arguments go to vitest. Node is not instrumented, so its leaks are not reported. A memory error
// of the addon ends the test process with a report.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileAndLink, coreSources } from './compile.mjs';
import { findHeaders } from './node-headers.mjs';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const compiler = process.env.CXX ?? 'g++';
const output = join(native, 'build', 'sanitized.node');

function run(command, args, env = {}) {
  const result = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

mkdirSync(dirname(output), { recursive: true });
const common = [
  '-std=c++20',
  '-O1',
  '-g',
  '-fno-omit-frame-pointer',
  '-ffp-contract=off',
  '-fno-math-errno',
  '-Wno-psabi',
];

async function stressThreads() {
  const program = join(native, 'build', 'scheduler_stress');
  const flags = [...common, '-fsanitize=thread', '-DBREZEL_PORTABLE', '-pthread'];
  const sources = [...coreSources(['baseline']), 'test/scheduler_stress.cpp'];
  await compileAndLink({ compiler, flags, sources, output: program });
  const { BREZEL_STRESS_CHUNKS: chunks = '100000', BREZEL_SEED: seed } = process.env;
  run(program, seed === undefined ? [chunks] : [chunks, seed], { TSAN_OPTIONS: 'halt_on_error=1' });
}

await stressThreads();
if (process.argv[2] === 'threads') process.exit(0);

const checks = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-sanitize=float-divide-by-zero'];
const headers = `-I${join(findHeaders(), 'include', 'node')}`;
await compileAndLink({
  compiler,
  flags: [...common, '-fPIC', '-shared', ...checks, '-DNAPI_VERSION=9', headers],
  sources: [...coreSources(['baseline', 'avx2', 'avx512', 'avx512vbmi']), 'src/addon.cpp'],
  output,
});

const library = spawnSync(compiler, ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim();
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const conformance = ['operators', 'native-nodes', 'forests'].map((name) =>
  join(native, `../packages/brezel/test/conformance/${name}.test.ts`),
);
run(process.execPath, [vitest, 'run', join(native, 'test'), ...conformance, ...process.argv.slice(2)], {
  BREZEL_NATIVE: output,
  LD_PRELOAD: library,
  ASAN_OPTIONS: 'detect_leaks=0:allocator_may_return_null=1:abort_on_error=0',
  UBSAN_OPTIONS: 'print_stacktrace=1',
});
