// npm run test:for PATH...: runs the tests of source files or folders. It fails if a build is older
// than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { staleBuilds } from './stale-builds.mjs';
import { conformance, testsFor } from './test-map.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [dry, ...given] = process.argv[2] === '--list' ? process.argv.slice(2) : [undefined, ...process.argv.slice(2)];

/** Runs tests. If a test fails, the exit code of this script is not 0. */
function run(...args) {
  const { status } = spawnSync('npx', ['vitest', 'run', ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}

try {
  if (given.length === 0) throw new Error('expected npm run test:for PATH: a source file or folder');
  const runs = given.map((path) => {
    const inside = relative(root, resolve(path)).split(sep).join('/');
    if (!existsSync(resolve(path))) throw new Error(`${path} does not exist`);
    const found = testsFor(inside);
    const beside = `${inside.replace(/(?:\.test)?\.ts$/, '')}.test.ts`;
    const isMissing = existsSync(resolve(root, beside)) && !found.tests.some((test) => beside.startsWith(test));
    return isMissing ? { ...found, tests: [beside, ...found.tests] } : found;
  });
  const tests = [...new Set(runs.flatMap((one) => one.tests))];
  const names = runs.every((one) => one.name !== undefined) ? runs.map((one) => one.name) : [];
  // The names of operators occur in the names of their cases only. Other tests run whole.
  const cases = names.length > 0 ? tests.filter((test) => test.startsWith(conformance)) : [];
  const whole = tests.filter((test) => !cases.includes(test));
  if (cases.length > 0) console.log(`${cases.join('\n')}\nnamed ${names.join(', ')}`);
  if (whole.length > 0) console.log(whole.join('\n'));
  if (dry === undefined) {
    const stale = staleBuilds(root);
    if (stale.length > 0) throw new Error(stale.join('\n'));
    if (cases.length > 0) run(...cases, '--hideSkippedTests', '--testNamePattern', names.join('|'));
    if (whole.length > 0) run(...whole);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
