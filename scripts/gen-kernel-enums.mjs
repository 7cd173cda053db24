// Writes native/include/attributes.hpp: the numbers of kernel attributes as C++ enums, from the
// TypeScript tables that define their order. `--check` fails if the file differs. Fleet files hold
// these numbers, so a table only grows at its end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'native', 'include', 'attributes.hpp');

/**
 * For each enum: what it chooses, its source file, and how that file's exports give the names in
 * order.
 */
const enums = [
  [
    'Arithmetic',
    'The operation of the kernel `arith`',
    'flour/src/ops/arithmetic/reference.ts',
    'operations',
    'unsignedOperations',
  ],
  ['Bitwise', 'The operation of the kernel `bitwise`', 'tensors/src/shared/operations.ts', 'bitFunctions'],
  ['Comparison', 'The operation of the kernel `compare`', 'tensors/src/shared/operations.ts', 'comparisons'],
  ['Connective', 'The operation of the kernel `logic`', 'tensors/src/shared/operations.ts', 'connectives'],
  ['Side', 'Where the constant operand of a binary operation stands', 'flour/src/ops/arithmetic/operands.ts', 'sides'],
  [
    'MapFunction',
    'The function of the kernel `map`',
    'tensors/src/shared/functions.ts',
    'functions',
    'shapedFunctions',
  ],
  ['Reduction', 'What the kernel `reduce` computes', 'flour/src/ops/reduce/reference.ts', 'reductionNames'],
  ['ScatterReduction', 'How the kernel `scatter` joins values', 'flour/src/ops/scatter/reference.ts', 'reductions'],
  ['Activation', 'The activation of the kernel `dense`', 'flour/src/ops/dense/reference.ts', 'activations'],
  ['TensorFunction', 'The function of the tensor kernel `map`', 'tensors/src/kernels.ts', 'kernelFunctions'],
  ['TensorOperation', 'The operation of the tensor kernel `pair`', 'tensors/src/kernels.ts', 'kernelOperations'],
];

/** The tables, from their sources: no build of the packages is needed. */
async function readTables() {
  const lines = enums.flatMap(([name, , path, ...exported]) =>
    exported.map((table) => `export { ${table} as ${name}_${table} } from './packages/${path}';`),
  );
  const folder = mkdtempSync(join(tmpdir(), 'brezel-enums-'));
  const outfile = join(folder, 'tables.mjs');
  try {
    const stdin = { contents: lines.join('\n'), resolveDir: root };
    await build({
      stdin,
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
      packages: 'bundle',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const keywords = new Set(['and', 'or', 'xor', 'not']);
const snakeCase = (name) => {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return keywords.has(words) ? `${words}_` : words;
};

const tables = await readTables();
const text = `// Numbers of kernel attributes. Written by scripts/gen-kernel-enums.mjs from the TypeScript tables.
#pragma once

#include <cstdint>

namespace brezel {
${enums
  .map(([name, does, , ...exported]) => {
    const names = exported.flatMap((table) => {
      const found = tables[`${name}_${table}`];
      return Array.isArray(found) ? found : Object.keys(found);
    });
    const members = names.map((one, index) => `  ${snakeCase(one)} = ${index},\n`).join('');
    return `\n/** ${does}. */\nenum class ${name} : int32_t {\n${members}};\nconstexpr int32_t k${name}Count = ${names.length};\n`;
  })
  .join('')}
}  // namespace brezel
`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('native/include/attributes.hpp differs from the tables: run node scripts/gen-kernel-enums.mjs');
  process.exit(1);
}
