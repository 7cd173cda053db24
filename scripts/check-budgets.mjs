// Measures two costs that arise before Brezel runs: the work of the TypeScript compiler on a
// program with 20 operators, and bytes on disk. The compiler's work is measured in counts, so that
// the speed of the machine does not matter. scripts/budgets.json holds the limits. `--update` sets
// each limit to the measured value plus a quarter. The script needs a build.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createFlour } from 'brezel';
import { transformSync } from 'esbuild';
import { bundleWeb } from './bundle-web.mjs';
import { stageRelease } from './release/stage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'scripts/budgets.json');
const temporary = mkdtempSync(join(tmpdir(), 'brezel-budgets-'));

const run = (command, args) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 });

/**
 * Returns how many types the TypeScript compiler instantiates and creates for the program of twenty
 * operators. The compiler reads its standard library and Brezel's declarations, but does not check
 * them.
 */
function types() {
  const told = run('node', [
    'node_modules/typescript/bin/tsc',
    '-p',
    'scripts/budget-types',
    '--extendedDiagnostics',
    '--singleThreaded',
  ]);
  const count = (name) => Number(new RegExp(`^${name}:\\s+([0-9]+)$`, 'm').exec(told)?.[1]);
  return { 'type instantiations': count('Instantiations'), types: count('Types') };
}

/**
 * Runs the source file of the program. Checks that the program has twenty operators, and that Oven
 * compiles a plan from it.
 */
async function mustBeAProgram() {
  const source = readFileSync(join(root, 'scripts/budget-types/twenty-operators.ts'), 'utf8');
  // written in this folder, where Node finds `brezel`
  const script = join(root, 'scripts/budget-types', `.${process.pid}.mjs`);
  writeFileSync(script, transformSync(source, { loader: 'ts' }).code);
  try {
    const { twentyOperators } = await import(pathToFileURL(script).href);
    const flour = await createFlour();
    const program = twentyOperators(flour);
    const operators = program.nodes().filter((node) => node.inputs.length > 0).length;
    if (operators < 20) throw new Error(`scripts/budget-types/twenty-operators.ts has ${operators} operators`);
    program.plan().release();
    flour.dispose();
  } finally {
    rmSync(script);
  }
}

/** Returns the installed bytes of each published package. */
async function packages() {
  const folders = await stageRelease(temporary);
  const sizes = folders.map((folder) => {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return [`bytes of ${name}`, bytesOf(folder)];
  });
  // Native packages are omitted, because the compiler determines the size of an addon.
  return Object.fromEntries(sizes.filter(([name]) => !name.includes('native-')));
}

/** Returns the bytes that a page downloads for `brezel/web` with the kernels, compressed. */
async function web() {
  const { text } = await bundleWeb();
  const kernels = readFileSync(join(root, 'native/wasm/kernels.wasm'));
  const bytes = [text, kernels].reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
  return { 'gzipped bytes of brezel/web': bytes };
}

const bytesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

try {
  await mustBeAProgram();
  const measured = { ...types(), ...(await packages()), ...(await web()) };
  if (process.argv.includes('--update')) {
    const budgets = Object.fromEntries(
      Object.entries(measured).map(([name, value]) => [name, Math.ceil(value * 1.25)]),
    );
    writeFileSync(file, `${JSON.stringify(budgets, null, 2)}\n`);
  }
  compare(measured, JSON.parse(readFileSync(file, 'utf8')));
} finally {
  rmSync(temporary, { recursive: true });
}

function compare(measured, budgets) {
  for (const name of new Set([...Object.keys(budgets), ...Object.keys(measured)])) {
    const [value, budget] = [measured[name], budgets[name]];
    const isWithin = value <= budget; // false if the value or the budget is missing
    if (!isWithin) process.exitCode = 1;
    const verdict = isWithin ? `${((100 * value) / budget).toFixed(0)} % of the budget` : 'ABOVE THE BUDGET';
    console.log(`${name}: ${value ?? 'not measured'} of ${budget ?? 'no budget'}, ${verdict}`);
  }
  if (process.exitCode === 1) console.error('see what has grown; if it must: node scripts/check-budgets.mjs --update');
}
