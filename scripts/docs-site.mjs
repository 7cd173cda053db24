// npm run docs:site [-- --serve]: builds the documentation site. Its tools are in docs/site with a
// separate lock file, so that `npm ci` in the root stays small. The first use installs them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../docs/site', import.meta.url));

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

// npm writes this file last, so an installation that was interrupted starts again.
if (!existsSync(join(folder, 'node_modules/.package-lock.json')))
  // Not `npm ci`: it fails if the registry lacks optional packages of another platform.
  run('npm', 'install', '--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
run(process.execPath, 'build.mjs', ...process.argv.slice(2));
