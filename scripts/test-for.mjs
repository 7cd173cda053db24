// npm run test:for PATH...: runs the tests of source files or folders. It fails if a build is older
// than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { staleBuilds } from './stale-builds.mjs';
import { testsFor } from './test-map.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dry, ...given] = process.argv[2] === '--list' ? process.argv.slice(2) : [undefined, ...process.argv.slice(2)];

try {
  if (given.length === 0) throw new Error('expected npm run test:for PATH: a source file or folder');
  const runs = given.map((path) => {
    const inside = relative(root, resolve(path)).split(sep).join('/');
    if (!existsSync(resolve(path))) throw new Error(`${path} does not exist`);
    const run = testsFor(inside);
    const beside = `${inside.replace(/(?:\.test)?\.ts$/, '')}.test.ts`;
    const isMissing = existsSync(resolve(root, beside)) && !run.tests.some((test) => beside.startsWith(test));
    return isMissing ? { ...run, tests: [beside, ...run.tests] } : run;
  });
  const tests = [...new Set(runs.flatMap((run) => run.tests))];
  const names = runs.every((run) => run.name !== undefined) ? runs.map((run) => run.name) : [];
  console.log(`${tests.join('\n')}${names.length > 0 ? `\nnamed ${names.join(', ')}` : ''}`);
  if (dry === undefined) {
    const stale = staleBuilds(root);
    if (stale.length > 0) throw new Error(stale.join('\n'));
    const filter = names.length > 0 ? ['--testNamePattern', names.join('|')] : [];
    const { status } = spawnSync('npx', ['vitest', 'run', ...tests, ...filter], { cwd: root, stdio: 'inherit' });
    process.exitCode = status ?? 1;
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
