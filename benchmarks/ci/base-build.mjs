import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = 'packages/brezel/dist/index.js';

/** @param {string[]} command */
const git = (...command) => execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim();

/**
 * Returns the commit where the branch started, or on the main branch the previous commit.
 *
 * @param {string} branch
 */
export function mergeBase(branch = 'origin/main') {
  const base = git('merge-base', 'HEAD', branch);
  return base === git('rev-parse', 'HEAD') ? git('rev-parse', 'HEAD~1') : base;
}

/**
 * Returns a build to measure. A folder must contain a build. A commit is checked out and built
 * once.
 *
 * @param {string} name
 * @returns {{ path: string, name: string }}
 */
export function buildOf(name) {
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

/** @param {string} commit @param {string} path */
function checkOut(commit, path) {
  console.log(`building ${commit.slice(0, 12)} in ${path}`);
  if (!existsSync(path)) git('worktree', 'add', '--force', '--detach', path, commit);
  /** @param {string[]} command */
  const npm = (...command) => execFileSync('npm', command, { cwd: path, stdio: ['ignore', 'ignore', 'inherit'] });
  npm('ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  npm('run', 'build');
}
