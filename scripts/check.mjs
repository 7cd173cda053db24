// npm run check: runs the checks that this file lists, such as imports, docstrings, generated
// pages, types of tests, format and lint. The build, which runs before, checks the types of
// sources. Quick checks run first. When a check fails, its message says how to fix it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const DOCS = 'npm run docs';

/** Each check: its name, its script with arguments, and how to fix a failure. */
const checks = [
  ['imports point down', 'scripts/check-imports.mjs', 'CONTRIBUTING.md, Rules, says which imports are allowed'],
  ['tests without a clock', 'scripts/check-test-clocks.mjs', 'CONTRIBUTING.md, Rules, says what a test uses instead'],
  [
    'tests of every folder',
    'scripts/check-test-map.mjs',
    'edit scripts/test-map.mjs, then node scripts/check-test-map.mjs --write',
  ],
  [
    'docstrings of public exports',
    'scripts/check-docstrings.mjs',
    'write a docstring; its first line says what the export does or holds',
  ],
  ['operator list', 'scripts/gen-op-list.mjs --check', DOCS],
  ['numbers of kernel attributes', 'scripts/gen-kernel-enums.mjs --check', DOCS],
  ['fingerprint of the addon', 'scripts/gen-native-interface.mjs --check', DOCS],
  ['error list', 'scripts/gen-errors.mjs --check', DOCS],
  ['ONNX operator list', 'scripts/gen-onnx-docs.mjs --check', DOCS],
  ['operator docs', 'scripts/gen-operator-docs.mjs --check', DOCS],
  ['rule list', 'scripts/gen-rule-docs.mjs --check', DOCS],
  ['EXPLAIN in the docs', 'scripts/gen-explain-docs.mjs --check', DOCS],
  ['goals', 'benchmarks/report/goals.mjs --check', 'npm run bench:goals'],
  ['measured figures', 'benchmarks/report.mjs --check', 'npm run bench:readme'],
  ['plain words', 'scripts/check-prose.mjs', 'reword these lines; node scripts/wrap-prose.mjs FILE wraps long ones'],
  ['types of tests', 'scripts/check-test-types.mjs', 'mend the types; vitest does not check them'],
  ['budgets', 'scripts/check-budgets.mjs', 'if the growth has a reason: node scripts/check-budgets.mjs --update'],
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome check --error-on-warnings .', 'npm run format'],
  ['kernels in WebAssembly', 'native/scripts/build-wasm.mjs --check', 'npm run build:wasm'],
  ['headers compile alone', 'native/scripts/check-headers.mjs', 'include in a header what it uses'],
];
/** Checks whose output is printed even if they pass. */
const shown = ['budgets', 'plain words', 'kernels in WebAssembly'];

/** A check that still runs prints its time after each of these intervals, in milliseconds. */
const PROGRESS_MS = 20_000;

/** Runs checks one after another. Returns the names of the failed checks. */
export async function runChecks(list, folder, print = (text) => process.stdout.write(text)) {
  const failed = [];
  for (const [name, script, mend] of list) {
    print(`${name} ... `);
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    const progress = setInterval(() => print(`${seconds().toFixed(0)} s ... `), PROGRESS_MS);
    const { status, stdout, stderr } = await runScript(script.split(' '), folder);
    clearInterval(progress);
    print(`${status === 0 ? 'ok' : 'FAILED'}, ${seconds().toFixed(1)} s\n`);
    if (status === 0 && shown.includes(name)) print(`${stdout.trim().replace(/^/gm, '  ')}\n`);
    if (status === 0) continue;
    failed.push(name);
    print(`${`${stdout}${stderr}`.trim()}\nto mend it: ${mend}\n`);
  }
  return failed;
}

/** Runs a script of Node. Returns its exit code, or null after a signal, and its output. */
function runScript(command, cwd) {
  const child = spawn(process.execPath, command, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, ...texts }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const failed = await runChecks(checks, root);
  console.log(failed.length === 0 ? `${checks.length} checks passed` : `failed: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
