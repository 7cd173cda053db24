// Collects the kernels: kernel.hpp in the operators' folders, and fused ones. A kernel is a `struct <Name>Kernel`;
// its name in stage programs is the struct's in snake_case, its number the place in the sorted list.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const operators = join(native, '..', 'packages', 'flour', 'src', 'ops');

/** Files that define kernels, sorted. */
export function kernelFiles() {
  const folders = existsSync(operators) ? readdirSync(operators) : [];
  const own = folders.map((folder) => join(operators, folder, 'kernel.hpp')).filter((file) => existsSync(file));
  const fused = readdirSync(join(native, 'fused')).filter((name) => name.endsWith('.hpp'));
  return [...own, ...fused.map((name) => join(native, 'fused', name))].sort();
}

/** Writes generated/*.inc, touching only what changed; returns the kernels' names. */
export function listKernels() {
  const files = kernelFiles();
  const structs = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^struct (\w+Kernel) \{/gm)].map((match) => match[1]),
  );
  const kernels = structs.map((struct) => ({ struct, name: snakeCase(struct.replace(/Kernel$/, '')) }));
  kernels.sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = kernels.find(({ name }, index) => kernels[index + 1]?.name === name);
  if (twice) throw new Error(`two kernels are named ${twice.name}`);

  const generated = join(native, 'generated');
  mkdirSync(generated, { recursive: true });
  const include = (file) => `#include "${relative(generated, file).replaceAll('\\', '/')}"\n`;
  writeIfChanged(join(generated, 'kernels.inc'), files.map(include).join(''));
  writeIfChanged(
    join(generated, 'kernel_table.inc'),
    kernels.map(({ name, struct }) => `BREZEL_KERNEL("${name}", ${struct})\n`).join(''),
  );
  listTensorKernels(generated);
  return kernels.map(({ name }) => name);
}

/** Kernels of tensor programs: `struct <Name>Tensor` in tensors/, a file each. Their number is their place in the sorted list. */
function listTensorKernels(generated) {
  const files = readdirSync(join(native, 'tensors')).sort();
  writeIfChanged(
    join(generated, 'tensor_kernels.inc'),
    files.map((file) => `#include "../tensors/${file}"\n`).join(''),
  );
  const structs = files.flatMap((file) => [
    ...readFileSync(join(native, 'tensors', file), 'utf8').matchAll(/^struct (\w+)Tensor \{/gm),
  ]);
  const lines = structs.map(([, name]) => `BREZEL_TENSOR_KERNEL("${snakeCase(name)}", ${name}Tensor)\n`);
  writeIfChanged(join(generated, 'tensor_table.inc'), lines.sort().join(''));
}

function snakeCase(name) {
  return name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
}

function writeIfChanged(file, text) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(listKernels().join('\n'));
