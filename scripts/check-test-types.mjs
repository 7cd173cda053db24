// Compiles all tests without output, because vitest does not check types. A project is a folder
// with a tsconfig.json, or a tsconfig file. The project `testing` has the tests of packages/*/src,
// native, benchmarks and scripts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

const projects = [
  'testing',
  ...readdirSync(join(root, 'packages')).flatMap((name) =>
    [`packages/${name}/test`, `packages/${name}/test/types`, `packages/${name}/tsconfig.test.json`].filter((path) =>
      existsSync(join(root, path.endsWith('.json') ? path : `${path}/tsconfig.json`)),
    ),
  ),
];

const failed = projects.filter(
  (project) => spawnSync(process.execPath, [tsc, '--noEmit', '-p', project], { cwd: root, stdio: 'inherit' }).status,
);
console.log(failed.length === 0 ? `${projects.length} test projects compile` : `failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
