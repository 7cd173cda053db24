import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { merged } from './merge.mjs';

/**
 * Runs an experiment in one process or in some, one after the other, and adds its records to a file.
 *
 * @param {string} script @param {{ out: string, processes?: number, env: NodeJS.ProcessEnv }} options
 * @returns {number} its exit code; of several processes, the first that is not 0
 */
export function runUnit(script, { out, processes = 1, env }) {
  const own = `${out}.part`;
  const runs = [];
  for (let at = 0; at < processes; at++) {
    if (processes > 1) console.log(`  process ${at + 1} of ${processes}`);
    rmSync(own, { force: true });
    const { status } = spawnSync(process.execPath, ['--expose-gc', script], {
      stdio: 'inherit',
      env: { ...env, BENCH_OUT: own },
    });
    runs.push(recordsOf(own));
    if (status !== 0) return add(out, runs, status ?? 1);
  }
  return add(out, runs, 0);
}

/** @param {string} file @returns {Record<string, any>[]} */
function recordsOf(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean);
  rmSync(file);
  return lines.map((line) => JSON.parse(line));
}

/** @param {string} out @param {Record<string, any>[][]} runs @param {number} status */
function add(out, runs, status) {
  appendFileSync(
    out,
    merged(runs)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(''),
  );
  return status;
}
