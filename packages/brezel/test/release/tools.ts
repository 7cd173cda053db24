import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Installs the packages of a folder beside this file, unless they are installed. The folder has a
 * lock file, so that `npm ci` of the repository stays small.
 *
 * @returns the folder `node_modules`, or undefined with a printed reason
 */
export function installedTools(name: string): string | undefined {
  const folder = fileURLToPath(new URL(name, import.meta.url));
  const modules = join(folder, 'node_modules');
  if (existsSync(join(modules, '.package-lock.json'))) return modules;
  try {
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    // Not `npm ci`: it fails if the registry lacks optional packages of another platform.
    execFileSync('npm', ['install', '--no-save', ...options], { cwd: folder, stdio: 'pipe' });
    return modules;
  } catch (error) {
    console.log(`skipped: npm cannot install packages/brezel/test/release/${name}: ${(error as Error).message}`);
    return undefined;
  }
}
