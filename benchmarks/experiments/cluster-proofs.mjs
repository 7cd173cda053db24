// Counts failed requests and wrong answers of a cluster on one machine while its servers are
// killed, stopped, replaced and updated. Runs the example `cluster`, and the chaos test of
// @brezel/nats at full scale. Needs `nats-server`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isQuick, missing, point, say } from '../harness/records.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Scales the chaos test: 50 is a batch of 1,000,000 rows, and 100,000 requests. */
const CHAOS = isQuick ? 0.1 : 50;
const corpus = process.env.BREZEL_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));

export const experiments = {
  async 'cluster-proofs'() {
    if (spawnSync('nats-server', ['--version']).status !== 0)
      return missing('cluster-proofs', 'nats-server is not installed');
    readExample();
    readChaos();
  },
};

/**
 * Runs the example, with the 40 models of the corpus if it is there, otherwise with its 10 models.
 */
function readExample() {
  const family = `${corpus}/family`;
  const models = existsSync(family) && !isQuick ? ['--models', family] : [];
  const out = run('scripts/run-example.mjs', ['cluster', ...models]);
  const loads = [...out.matchAll(/(\d+) requests, (\d+) errors, (\d+) wrong answers, p99 ([\d.]+) ms/g)];
  const events = [
    'no event',
    'a server is killed',
    'the server comes back',
    'each server is replaced',
    'a version is promoted and demoted',
    'each server is stopped for 500 ms',
  ];
  if (loads.length !== events.length) throw new Error(`expected ${events.length} loads:\n${out}`);
  loads.forEach(([, requests, errors, wrong, p99], index) => {
    count(events[index], 'requests', requests);
    count(events[index], 'failed', errors);
    count(events[index], 'wrong answers', wrong);
    point({ figure: 'cluster-tails', series: 'p99', x: events[index], unit: 'ms' }, { median: Number(p99) });
  });
  const [, moved, all] = found(out, /was killed: (\d+) of (\d+) models moved/);
  const [, elsewhere] = found(out, /came back: (\d+) models are elsewhere/);
  const [, canary] = found(out, /canary of 10 %: ([\d.]+) %/);
  const placed = (/** @type {string} */ x, /** @type {string} */ median) =>
    point({ figure: 'cluster-moves', series: `of ${all} models`, x, unit: 'models' }, { median: Number(median) });
  placed('moved after a server was killed', moved);
  placed('elsewhere after the server came back', elsewhere);
  point(
    { figure: 'cluster-canary', series: 'measured', x: 'a canary of 10 %', unit: '% of the answers' },
    { median: Number(canary) },
  );
}

/** Runs the chaos test. It compares every answer with the answer of one process. */
function readChaos() {
  const args = ['run', '--config', 'vitest.long.config.ts', 'packages/nats/test/chaos.long.test.ts'];
  const out = run('node_modules/vitest/vitest.mjs', args, { BREZEL_CHAOS: String(CHAOS), NO_COLOR: '1' });
  const [, answers, rows, wrongRows, batchFaults] = found(out, /batch: (\d+) answers of (\d+) rows, (\d+) wrong; (.*)/);
  count('a batch of rows, with chaos', 'requests', rows);
  count('a batch of rows, with chaos', 'failed', String(Number(rows) - Number(answers)));
  count('a batch of rows, with chaos', 'wrong answers', wrongRows);
  const [, sent, again, failed, wrong, faults] = found(
    out,
    /requests: (\d+) sent, (\d+) sent again, (\d+) failed, (\d+) wrong; (.*)/,
  );
  count('single rows, with chaos', 'requests', sent);
  count('single rows, with chaos', 'failed', failed);
  count('single rows, with chaos', 'wrong answers', wrong);
  say(`faults of the batch: ${batchFaults}`);
  say(`faults until the end of the single rows: ${faults}; ${again} requests were sent again`);
  const killed = found(faults, /servers: (\d+) kills, (\d+) stops; NATS: (\d+) kills, (\d+) stops/);
  ['servers killed', 'servers stopped', 'NATS killed', 'NATS stopped'].forEach((x, index) =>
    point({ figure: 'cluster-faults', series: 'count', x, unit: 'faults' }, { median: Number(killed[index + 1]) }),
  );
}

/**
 * Records a count of the figure about failures.
 *
 * @param {string} x
 * @param {string} series
 * @param {string} value
 */
const count = (x, series, value) =>
  point({ figure: 'cluster-failures', series, x, unit: 'requests or rows' }, { median: Number(value) });

/**
 * Runs a script of this repository, and returns what it prints.
 *
 * @param {string} script
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [environment]
 */
function run(script, args, environment = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} exited with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function found(text, pattern) {
  const match = pattern.exec(text);
  if (match === null) throw new Error(`${pattern} is not in the output:\n${text}`);
  return match;
}
