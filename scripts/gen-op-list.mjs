// Writes packages/flour/src/generated/ops.ts from the operator folders. `--check` only compares, for `npm run check`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const source = new URL('../packages/flour/src/', import.meta.url);
const target = new URL('generated/ops.ts', source);
const operators = readdirSync(new URL('ops/', source)).sort();
const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const mapped = operators.filter((name) => existsSync(new URL(`ops/${name}/onnx.ts`, source)));

const text = [
  '// Written by scripts/gen-op-list.mjs from the folders in ops/: run it after adding or removing an operator.',
  ...operators.map((name) => `export * from '../ops/${name}/index.js';`),
  ...mapped.map((name) => `import { onnx as ${camel(name)} } from '../ops/${name}/onnx.js';`),
  '',
  '/** How ONNX operators are raised, of every operator folder that says so. */',
  `export const onnxOperators = [${mapped.map((name) => `...${camel(name)}`).join(', ')}];`,
  '',
].join('\n');

const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (current === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error(
    'packages/flour/src/generated/ops.ts is not in step with the operator folders: node scripts/gen-op-list.mjs',
  );
  process.exit(1);
}
mkdirSync(new URL('generated/', source), { recursive: true });
writeFileSync(target, text);
