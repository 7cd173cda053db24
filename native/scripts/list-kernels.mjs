// Collects the kernels: kernel.hpp in the operators' folders, fused kernels, and kernels of tensor
// programs. Writes the translation units of generated/ and the tables that join them. Each unit is
// a group of kernels for one instruction set.
//
// A kernel is a `struct <Name>Kernel`. Its name in stage programs is the struct's name in
// snake_case. Its number is its index in the sorted list. A kernel of tensor programs is a `struct
// <Name>Tensor` in tensors/. These kernels have separate numbers.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const operators = join(native, '..', 'packages', 'flour', 'src', 'ops');
const generated = join(native, 'generated');

/**
 * The instruction sets, with the namespace and the BREZEL_LEVEL (isa/region.hpp) of each. A set
 * with `groups` compiles only these groups of kernels, and uses the code of `base` for the other
 * groups.
 */
const instructionSets = {
  baseline: { level: 0 },
  avx2: { level: 2 },
  avx512: { level: 5 },
  avx512vbmi: { level: 6, groups: ['text'], base: 'avx512' },
};

/**
 * Groups of kernels. Each group is one translation unit for every instruction set. The members of a
 * group share primitives, and groups take about the same time to compile. A kernel without a group
 * goes to one of the `others` by a hash of its name. Adding a kernel therefore does not move other
 * kernels.
 */
const groups = {
  convolution: ['tensors/conv', 'tensors/pool'],
  elementwise: ['arithmetic', 'bitwise', 'compare', 'logic', 'where', 'tensors/pair'],
  linear: ['count-linear', 'dense', 'linear', 'normalize', 'normalized-linear', 'project'],
  matrices: ['batch-mat-mul', 'mat-mul', 'tensors/mat_mul'],
  text: [
    'collapse-spaces',
    'fused/hash_ngram',
    'fused/text_ngram',
    'fused/word_char_ngram',
    'preprocess-text',
    'string-normalize',
  ],
  trees: ['forest', 'isolation-forest', 'tensors/tree_shap', 'tree-ensemble', 'tree-featurize'],
};
const others = 2;

/** Returns the files that define kernels, sorted. */
export function kernelFiles() {
  const folders = existsSync(operators) ? readdirSync(operators) : [];
  const own = folders.map((folder) => join(operators, folder, 'kernel.hpp')).filter((file) => existsSync(file));
  return [...own, ...headersOf('fused'), ...headersOf('tensors')].sort();
}

function headersOf(folder) {
  return readdirSync(join(native, folder))
    .filter((name) => name.endsWith('.hpp'))
    .map((name) => join(native, folder, name));
}

/**
 * Returns the kernels of a file: the struct, the name, and whether it belongs to tensor programs.
 */
function kernelsOf(file) {
  const structs = [...readFileSync(file, 'utf8').matchAll(/^struct (\w+)(Kernel|Tensor) \{/gm)];
  return structs.map(([, name, kind]) => ({
    struct: `${name}${kind}`,
    name: name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase(),
    isTensor: kind === 'Tensor',
    file,
  }));
}

/**
 * Returns the name of the group of kernels to which a file belongs. `groups` lists a file by its
 * operator, or by its folder and file name in native/.
 */
function groupOf(file) {
  const name =
    basename(file) === 'kernel.hpp' ? basename(dirname(file)) : `${basename(dirname(file))}/${basename(file, '.hpp')}`;
  const found = Object.keys(groups).find((group) => groups[group].includes(name));
  if (found) return found;
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return `others-${(hash % others) + 1}`;
}

/**
 * Writes the folder generated/. Files whose content stays the same are not written. Returns the
 * names of the kernels, and the paths of the units in native/.
 */
export function listKernels() {
  const kernels = kernelFiles().flatMap(kernelsOf);
  kernels.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = kernels.filter(({ isTensor }) => !isTensor);
  const tensors = kernels.filter(({ isTensor }) => isTensor);
  for (const list of [rows, tensors]) {
    const twice = list.find(({ name }, index) => list[index + 1]?.name === name);
    if (twice) throw new Error(`two kernels are named ${twice.name}`);
  }
  const units = new Map([['tables.cpp', tables(rows, tensors)]]);
  for (const group of new Set(kernels.map(({ file }) => groupOf(file)))) {
    const members = kernels.filter(({ file }) => groupOf(file) === group);
    for (const [set, { groups: own }] of Object.entries(instructionSets))
      if (!own || own.includes(group)) units.set(`${group}.${set}.cpp`, unit(set, members));
  }
  mkdirSync(generated, { recursive: true });
  for (const name of readdirSync(generated)) {
    if (/\.(cpp|inc)$/.test(name) && !units.has(name)) rmSync(join(generated, name));
  }
  for (const [name, text] of units) writeIfChanged(join(generated, name), text);
  return { names: rows.map(({ name }) => name), units: [...units.keys()].sort().map((name) => `generated/${name}`) };
}

const written = '// Written by native/scripts/list-kernels.mjs.\n';
const guard = '#if defined(__x86_64__) && !defined(BREZEL_PORTABLE)\n';

/** Returns the source of one unit. It includes the group's headers and exports their kernels. */
function unit(set, members) {
  const { level } = instructionSets[set];
  const files = [...new Set(members.map(({ file }) => file))].sort();
  const body = [
    `#define BREZEL_LEVEL ${level}\n`,
    ...files.map((file) => `#include "${relative(native, file).replaceAll('\\', '/')}"\n`),
    '#include "isa/export.hpp"\n\nBREZEL_ISA_BEGIN\n',
    ...members.map(({ name, struct, isTensor }) => `BREZEL_EXPORT${isTensor ? '_TENSOR' : ''}(${name}, ${struct})\n`),
    'BREZEL_ISA_END\n',
  ].join('');
  return written + (level > 0 ? `${guard}${body}#endif\n` : body);
}

/**
 * Returns the source that declares the exports of all units and joins them into the tables of
 * src/kernels.hpp. With BREZEL_ROWS_ONLY, the tables contain no tensor kernels: the WebAssembly
 * module runs only row plans.
 */
function tables(rows, tensors) {
  const list = (kernels, item) => kernels.map((kernel) => `    ${item(kernel.name, kernel)},\n`).join('');
  const isOwn = (set, { file }) => instructionSets[set].groups?.includes(groupOf(file)) ?? true;
  const declare = (set, kernels, item) =>
    kernels
      .filter((kernel) => isOwn(set, kernel))
      .map(item)
      .join('');
  /**
   * Returns the source of a list of kernels. `item(name, namespace)` returns the entry of a kernel;
   * the namespace has the code of this kernel for `set`.
   */
  const listFor = (set, kernels, item) =>
    list(kernels, (name, kernel) => item(name, isOwn(set, kernel) ? set : instructionSets[set].base));
  const runs = (set) => `
namespace ${set} {
${declare(set, rows, ({ name }) => `void ${name}_run(Run&);\n`)}
${declare(set, tensors, ({ name }) => `void ${name}_tensor_run(TensorRun&);\n`)}
static const KernelRun kRows[] = {
${listFor(set, rows, (name, from) => `${from}::${name}_run`)}};
#if defined(BREZEL_ROWS_ONLY)
static const TensorKernelRun* const kTensors = nullptr;
#else
static const TensorKernelRun kTensors[] = {
${listFor(set, tensors, (name, from) => `${from}::${name}_tensor_run`)}};
#endif
}
const KernelRuns k${set[0].toUpperCase()}${set.slice(1)} = {${set}::kRows, ${set}::kTensors};
`;
  const [baseline, ...larger] = Object.keys(instructionSets);
  return `${written}#include "src/kernels.hpp"

namespace brezel {

namespace baseline {
${rows.map(({ name }) => `extern const Kernel ${name}_kernel;\n`).join('')}
${tensors.map(({ name }) => `extern const TensorKernel ${name}_tensor_kernel;\n`).join('')}}

const uint32_t kKernelCount = ${rows.length}, kTensorKernelCount = ${tensors.length};
const Kernel* const kKernels[] = {
${list(rows, (name) => `&baseline::${name}_kernel`)}};
#if !defined(BREZEL_ROWS_ONLY)
const TensorKernel* const kTensorKernels[] = {
${list(tensors, (name) => `&baseline::${name}_tensor_kernel`)}};
#endif
${runs(baseline)}
#if defined(BREZEL_X86)
${larger.map(runs).join('')}
#endif

}
`;
}

function writeIfChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(listKernels().units.join('\n'));
