// npm run check: format, lint, imports point down, lists in step. Types are checked by the build
// before it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const checks = [
  ['format and lint', 'npx', ['biome', 'check', '--error-on-warnings', '.']],
  ['imports point down', 'node', ['scripts/check-imports.mjs']],
  ['tests without a clock', 'node', ['scripts/check-test-clocks.mjs']],
  ['numbers of kernel attributes', 'node', ['scripts/gen-kernel-enums.mjs', '--check']],
  ['headers compile alone', 'node', ['native/scripts/check-headers.mjs']],
  ['tests of every folder', 'node', ['scripts/check-test-map.mjs']],
  ['plain words', 'node', ['scripts/check-prose.mjs']],
  ['operator list', 'node', ['scripts/gen-op-list.mjs', '--check']],
  ['ONNX operator list', 'node', ['scripts/gen-onnx-docs.mjs', '--check']],
  ['operator docs', 'node', ['scripts/gen-operator-docs.mjs', '--check']],
  ['rule list', 'node', ['scripts/gen-rule-docs.mjs', '--check']],
  ['EXPLAIN in the docs', 'node', ['scripts/gen-explain-docs.mjs', '--check']],
  ['error list', 'node', ['scripts/gen-errors.mjs', '--check']],
  ['goals', 'node', ['benchmarks/goals.mjs', '--check']],
  ['measured figures', 'node', ['benchmarks/report.mjs', '--check']],
  ['budgets', 'node', ['scripts/check-budgets.mjs']],
];
/** Checks whose numbers are worth a look even when all is well. */
const shown = ['budgets', 'plain words'];

let failed = 0;
for (const [name, command, args] of checks) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (status === 0 && shown.includes(name)) console.log(stdout.trim().replace(/^/gm, '       '));
  if (status !== 0) {
    failed++;
    console.error(`${stdout}${stderr}`.trim());
  }
}
process.exit(failed === 0 ? 0 : 1);
