// Installs the tools of a folder, which has its own lock file so that `npm ci` of the repository
// stays small.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder, unless they are installed.
 *
 * @param {string} folder contains package.json and package-lock.json
 * @param {import('node:child_process').StdioOptions} stdio where npm prints
 * @returns {string} the folder `node_modules`
 * @throws if npm fails
 */
export function installTools(folder, stdio = 'pipe') {
  const modules = join(folder, 'node_modules');
  // npm writes this file last, so an installation that was interrupted starts again.
  if (existsSync(join(modules, '.package-lock.json'))) return modules;
  const options = ['--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  // Not `npm ci`: it fails if the registry lacks optional packages of another platform.
  execFileSync('npm', ['install', ...options], { cwd: folder, stdio });
  return modules;
}
