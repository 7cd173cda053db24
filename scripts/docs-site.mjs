// npm run docs:site [-- --serve]: builds the documentation site. Its tools are in docs/site; the
// first use installs them.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installTools } from './install-tools.mjs';

const folder = fileURLToPath(new URL('../docs/site', import.meta.url));
installTools(folder, 'inherit');
const args = ['build.mjs', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' });
process.exitCode = status ?? 1;
