// Compares two builds and onnxruntime-node, which alternate in one process. Writes Markdown and
// JSON. The exit code is 1 on a regression. It needs a build.
//
// npm run bench:ci [-- --base COMMIT|FOLDER] [--head FOLDER] [--trials N] [--fail-above PERCENT]
// [--out FOLDER]
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { againstBase, againstRival, markdown } from './ci/verdicts.mjs';
import { machine, machineLine } from './harness/machine.mjs';
import { trial } from './harness/processes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = 'packages/brezel/dist/index.js';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    head: { type: 'string', default: root },
    trials: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '12' },
    'fail-above': { type: 'string', default: '10%' },
    out: { type: 'string', default: join(root, 'benchmarks/results') },
  },
});
const [count, rounds, percent] = [values.trials, values.rounds, values['fail-above']].map((text) =>
  Number.parseFloat(text),
);
if (!(Number.isInteger(count) && count >= 3) || !(Number.isInteger(rounds) && rounds >= 1) || !(percent >= 0)) {
  console.error('bench:ci: expected --trials >= 3, --rounds >= 1 and --fail-above as a percentage');
  process.exit(2);
}

const started = performance.now();
const [head, base] = [buildOf(values.head), buildOf(values.base ?? mergeBase())];
/** @type {import('./ci/verdicts.mjs').Trial[]} */
const trials = [];
const workloads = new URL('ci/workloads.mjs', import.meta.url).href;
for (let number = 0; number < count; number++) {
  process.stdout.write(`\ntrial ${number + 1} of ${count}`);
  trials.push(await trial(workloads, 'ci', { head: head.path, base: base.path, number, rounds }));
}

const threshold = percent / 100;
const about = await machine();
const result = {
  head: head.name,
  base: base.name,
  threshold,
  trials: count,
  machine: machineLine(about),
  versus: againstBase(trials, threshold),
  rival: againstRival(trials),
};
const text = markdown(result);
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'ci.md'), text);
writeFileSync(join(out, 'ci.json'), `${JSON.stringify({ ...result, machine: about, samples: trials })}\n`);
if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, text);
console.log(
  `\n${text}\nin ${((performance.now() - started) / 1000).toFixed(0)} s; written to ${out}/ci.md and ci.json`,
);
process.exit([...result.versus, ...result.rival].some(({ isBad }) => isBad) ? 1 : 0);

/**
 * Runs a git command in the repository and returns its output.
 *
 * @param {string[]} command
 */
function git(...command) {
  return execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim();
}

/**
 * Returns the newest commit that HEAD and `branch` share. If this commit is HEAD, returns the
 * commit before HEAD.
 *
 * @param {string} branch
 */
function mergeBase(branch = 'origin/main') {
  const base = git('merge-base', 'HEAD', branch);
  return base === git('rev-parse', 'HEAD') ? git('rev-parse', 'HEAD~1') : base;
}

/**
 * Returns a build to measure. `name` is a folder that contains a build, or a commit. A commit is
 * checked out into a temporary folder and built there on first use.
 *
 * @param {string} name
 * @returns {{ path: string, name: string }}
 */
function buildOf(name) {
  if (existsSync(name) && statSync(name).isDirectory()) {
    const path = resolve(name);
    if (!existsSync(join(path, ENTRY)))
      throw new Error(`${path}: expected a build of Brezel; run npm ci && npm run build there`);
    return { path, name: path === resolve(root) ? 'working tree' : path };
  }
  const commit = git('rev-parse', '--verify', `${name}^{commit}`);
  const path = join(tmpdir(), `brezel-bench-base-${commit.slice(0, 12)}`);
  if (!existsSync(join(path, ENTRY))) checkOut(commit, path);
  return { path, name: commit.slice(0, 12) };
}

/**
 * Checks out a commit into the folder `path` (a git worktree) and builds it there.
 *
 * @param {string} commit
 * @param {string} path
 */
function checkOut(commit, path) {
  console.log(`building ${commit.slice(0, 12)} in ${path}`);
  if (!existsSync(path)) git('worktree', 'add', '--force', '--detach', path, commit);
  /** @param {string[]} command */
  const npm = (...command) => execFileSync('npm', command, { cwd: path, stdio: ['ignore', 'ignore', 'inherit'] });
  npm('ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  npm('run', 'build');
}
