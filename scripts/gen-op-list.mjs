// Writes packages/flour/src/generated/ops.ts from the folders of operators and compositions.
// `--check` only compares, for `npm run check`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const root =
  process.env.BREZEL_ROOT === undefined ? new URL('..', import.meta.url) : pathToFileURL(`${process.env.BREZEL_ROOT}/`);
const source = new URL('packages/flour/src/', root);
const target = new URL('generated/ops.ts', source);
const operators = readdirSync(new URL('ops/', source)).sort();
/**
 * The names of the compositions, which are methods built from other operators. A composition is a
 * file, or a folder with an index file.
 */
const compositions = readdirSync(new URL('compositions/', source), { withFileTypes: true })
  .map((entry) => (entry.isDirectory() ? `${entry.name}/index` : entry.name.replace(/\.ts$/, '')))
  .sort();
const modules = [
  ...operators.map((name) => `ops/${name}/index`),
  ...compositions.map((name) => `compositions/${name}`),
];
const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const mapped = modules
  .map((module) => module.replace(/\/index$/, ''))
  .filter((folder) => existsSync(new URL(`${folder}/onnx.ts`, source)));
const nameOf = (folder) => camel(folder.split('/').at(-1));

const text = [
  '// Written by scripts/gen-op-list.mjs from ops/ and compositions/: run it after adding or removing one.',
  ...modules.map((module) => `export * from '../${module}.js';`),
  ...mapped.map((folder) => `import { onnx as ${nameOf(folder)} } from '../${folder}/onnx.js';`),
  '',
  '/** The ONNX mappings of all operators and compositions. */',
  `export const onnxOperators = [${mapped.map((folder) => `...${nameOf(folder)}`).join(', ')}];`,
  '',
].join('\n');

const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (current === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error(
    'packages/flour/src/generated/ops.ts does not match the folders ops/ and compositions/: run node scripts/gen-op-list.mjs',
  );
  process.exit(1);
}
mkdirSync(new URL('generated/', source), { recursive: true });
writeFileSync(target, text);
