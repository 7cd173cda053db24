// Writes native/include/attributes.hpp: the numbers of kernel attributes as C++ enums, from the
// TypeScript tables that define their order. `--check` fails if the file differs. Fleet files
// contain these numbers, so add entries to a table only at its end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'native', 'include', 'attributes.hpp');

/**
 * For each enum: its name, a description of its values, its source file, and the exports of this
 * file that contain its members in order.
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
  ['Side', 'The side of the constant operand in a binary operation', 'flour/src/ops/arithmetic/operands.ts', 'sides'],
  [
    'MapFunction',
    'The function of the kernel `map`',
    'tensors/src/shared/functions.ts',
    'functions',
    'shapedFunctions',
  ],
  [
    'Reduction',
    'The results that the kernel `reduce` can compute',
    'flour/src/ops/reduce/reference.ts',
    'reductionNames',
  ],
  [
    'ScatterReduction',
    'The operation by which the kernel `scatter` combines values',
    'flour/src/ops/scatter/reference.ts',
    'reductions',
  ],
  ['Activation', 'The activation of the kernel `dense`', 'flour/src/ops/dense/reference.ts', 'activations'],
  [
    'BinaryMode',
    'How the kernel `binary_scores` derives two scores from one',
    'flour/src/ops/binary-scores/reference.ts',
    'modes',
  ],
  [
    'BinningOutput',
    'The results that the kernel `binning` can return',
    'flour/src/ops/binning/reference.ts',
    'binningOutputs',
  ],
  ['EdgeBin', 'The bin of a value that equals an edge', 'flour/src/ops/binning/reference.ts', 'edgeBins'],
  ['Combination', 'How the kernel `ensemble` combines scores', 'flour/src/ops/ensemble/reference.ts', 'combinations'],
  ['Aggregate', 'How the kernel `forest` combines leaves', 'flour/src/ops/forest/reference.ts', 'aggregates'],
  ['TreeMode', 'How a node of a tree compares its feature', 'flour/src/ops/forest/reference.ts', 'nodeModes'],
  [
    'TreeOutput',
    'The results that the kernel `tree_featurize` can return',
    'flour/src/ops/tree-featurize/reference.ts',
    'treeOutputs',
  ],
  ['HashScheme', 'The hash of the kernel `hash_key`', 'flour/src/ops/hash-key/reference.ts', 'hashSchemes'],
  [
    'GramUnit',
    'The unit of the n-grams that the kernel `hash_ngram` counts',
    'oven/src/compile/fused/gram-units.ts',
    'gramUnits',
  ],
  [
    'IsolationOutput',
    'The results that the kernel `isolation_score` can return',
    'flour/src/ops/isolation-forest/reference.ts',
    'isolationOutputs',
  ],
  ['LpNorm', 'The norm of the kernel `lp_norm`', 'flour/src/ops/lp-norm/reference.ts', 'lpNorms'],
  [
    'MissingValueTask',
    'The tasks of the kernel `missing_values`',
    'flour/src/ops/missing-values/reference.ts',
    'missingValueTasks',
  ],
  ['Norm', 'The norm of the kernel `normalize`', 'tensors/src/rows/normalize.ts', 'norms'],
  [
    'PosteriorOutput',
    'The results that generative classifiers can return',
    'flour/src/posterior.ts',
    'posteriorOutputs',
  ],
  [
    'SoftmaxForm',
    'The form of the result of the kernel `softmax`',
    'flour/src/ops/softmax/reference.ts',
    'softmaxForms',
  ],
  ['SupportKernel', 'The function of the kernel `svm_kernel`', 'flour/src/ops/svm-kernel/reference.ts', 'kernels'],
  ['TopKOutput', 'The results that the kernel `top_k` can return', 'flour/src/ops/top-k/reference.ts', 'topKOutputs'],
  ['TensorFunction', 'The function of the tensor kernel `map`', 'tensors/src/kernels.ts', 'kernelFunctions'],
  ['TensorOperation', 'The operation of the tensor kernel `pair`', 'tensors/src/kernels.ts', 'kernelOperations'],
];

/** Reads the tables from their source files, so that no build of the packages is needed. */
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

const keywords = new Set(['and', 'or', 'xor', 'not', 'class']);
const snakeCase = (name) => {
  const words =
    name === name.toUpperCase() ? name.toLowerCase() : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return keywords.has(words) ? `${words}_` : words;
};

/**
 * Returns the members of an enum with their numbers. A table is a list of names, or an object. The
 * number of a member is its index, or its value in the object if that value is a number.
 */
function numbersOf(found) {
  const members = found.flatMap((table) =>
    Array.isArray(table) ? table.map((name) => [name, undefined]) : Object.entries(table),
  );
  return members.map(([name, value], index) => [name, typeof value === 'number' ? value : index]);
}

/** Returns a C++ enum, and the number of its members if they start at 0. */
function enumOf(name, does, members) {
  const lines = members.map(([member, number]) => `  ${snakeCase(member)} = ${number},\n`).join('');
  const count = members[0][1] === 0 ? `constexpr int32_t k${name}Count = ${members.length};\n` : '';
  return `\n/** ${does}. */\nenum class ${name} : int32_t {\n${lines}};\n${count}`;
}

const tables = await readTables();
const text = `// Numbers of kernel attributes. Written by scripts/gen-kernel-enums.mjs from the TypeScript tables.
#pragma once

#include <cstdint>

namespace brezel {
${enums
  .map(([name, does, , ...exported]) =>
    enumOf(name, does, numbersOf(exported.map((table) => tables[`${name}_${table}`]))),
  )
  .join('')}
}  // namespace brezel
`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('native/include/attributes.hpp differs from the tables: run node scripts/gen-kernel-enums.mjs');
  process.exit(1);
}
