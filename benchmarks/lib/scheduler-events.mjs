import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../native/bench/scheduler.cpp', import.meta.url));
const folder = fileURLToPath(new URL('../../native/build/', import.meta.url));
/** As native/binding.gyp has them; kernels of the baseline alone, for it is not they who are measured. */
const flags = ['-std=c++20', '-O3', '-ffp-contract=off', '-fno-math-errno', '-w', '-DBREZEL_PORTABLE', '-pthread'];

/**
 * Compiles and runs native/bench/scheduler.cpp, a program without Node.
 *
 * @param {number} events a round
 * @returns {Record<'alone 1' | 'alone 5' | 'together 1' | 'together 5', number[]> | { why: string }} nanoseconds an event, of each round, or why there are none
 */
export function schedulerEvents(events) {
  const compiler = process.env.CXX ?? 'g++';
  const program = `${folder}scheduler_bench`;
  mkdirSync(folder, { recursive: true });
  const { error, status, stderr } = spawnSync(compiler, [...flags, source, '-o', program], { encoding: 'utf8' });
  if (error) return { why: `there is no C++ compiler here (${compiler})` };
  if (status !== 0) throw new Error(`${compiler} ended with ${status}: ${stderr}`);
  const run = spawnSync(program, [String(events)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${program} ended with ${run.status ?? run.signal}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}
