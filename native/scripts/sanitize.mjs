// First the scheduler under load with the thread sanitizer (native/test/scheduler_stress.cpp; BREZEL_STRESS_CHUNKS and
// BREZEL_SEED scale and repeat it), then native/test with an addon built for the address and undefined-behaviour sanitizers
// (Linux, GCC). With the argument `threads` the first alone; other arguments go to vitest.
// Node itself is not instrumented, so its own leaks are not reported; the addon's memory errors end the test process
// with a report.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findHeaders } from './build.mjs';
import { listKernels } from './list-kernels.mjs';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const compiler = process.env.CXX ?? 'g++';
const output = join(native, 'build', 'sanitized.node');

function run(command, args, env = {}) {
  const result = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

listKernels();
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

function stressThreads() {
  const program = join(native, 'build', 'scheduler_stress');
  const source = join(native, 'test', 'scheduler_stress.cpp');
  run(compiler, [...common, '-fsanitize=thread', '-DBREZEL_PORTABLE', '-pthread', source, '-o', program]);
  const { BREZEL_STRESS_CHUNKS: chunks = '100000', BREZEL_SEED: seed } = process.env;
  run(program, seed === undefined ? [chunks] : [chunks, seed], { TSAN_OPTIONS: 'halt_on_error=1' });
}

stressThreads();
if (process.argv[2] === 'threads') process.exit(0);

const flags = [...common, '-fPIC', '-shared'];
const checks = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-sanitize=float-divide-by-zero'];
run(compiler, [
  ...flags,
  ...checks,
  '-DNAPI_VERSION=9',
  `-I${join(findHeaders(), 'include', 'node')}`,
  ...['src/addon.cpp', 'isa/avx2.cpp', 'isa/avx512.cpp'].map((source) => join(native, source)),
  '-o',
  output,
]);

const library = spawnSync(compiler, ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim();
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
run(process.execPath, [vitest, 'run', join(native, 'test'), ...process.argv.slice(2)], {
  BREZEL_NATIVE: output,
  LD_PRELOAD: library,
  ASAN_OPTIONS: 'detect_leaks=0:allocator_may_return_null=1:abort_on_error=0',
  UBSAN_OPTIONS: 'print_stacktrace=1',
});
