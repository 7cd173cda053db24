// Writes compile_commands.json at the repository's root, for clangd and for check-headers.mjs. The
// flags are those of node-gyp's Makefile. Headers have entries too, with the largest instruction
// set of this processor's kind.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Folders of headers, and the BREZEL_LEVEL (isa/region.hpp) that an editor shows. */
const level = process.arch === 'x64' ? 5 : 0;
const headerFolders = { include: 0, isa: level, primitives: level, fused: level, tensors: level, src: 0 };

/**
 * Writes the file.
 *
 * @param {string} native the folder native/
 * @param {string[]} units sources, from `native`
 * @param {string[]} kernels kernel headers outside of `native`
 */
export function writeCompileCommands(native, units, kernels) {
  const makefile = join(native, 'build', 'brezel.target.mk');
  if (!existsSync(makefile)) return; // another generator than make, such as Visual Studio
  const arguments_ = ['c++', ...flagsOf(readFileSync(makefile, 'utf8')), '-c'];
  const entry = (file, more) => ({ directory: join(native, 'build'), file, arguments: [...arguments_, ...more, file] });
  const headers = Object.entries(headerFolders).flatMap(([folder, at]) =>
    readdirSync(join(native, folder), { recursive: true })
      .filter((name) => String(name).endsWith('.hpp'))
      .map((name) => [join(native, folder, String(name)), at]),
  );
  for (const file of kernels) headers.push([file, level]);
  const entries = [
    ...units.map((unit) => entry(join(native, unit), [])),
    ...[...new Map(headers)].map(([file, at]) => entry(file, [`-DBREZEL_LEVEL=${at}`, '-xc++'])),
  ];
  writeFileSync(join(native, '..', 'compile_commands.json'), `${JSON.stringify(entries, null, 1)}\n`);
}

/** The flags that make gives to every C++ source of the release build. */
function flagsOf(makefile) {
  const variables = ['DEFS_Release', 'INCS_Release', 'CFLAGS_Release', 'CFLAGS_CC_Release'];
  return variables.flatMap((variable) => {
    const [, value = ''] = new RegExp(`^${variable} := ((?:.*\\\\\\n)*.*)`, 'm').exec(makefile) ?? [];
    return value.replaceAll('\\\n', ' ').split(/\s+/).filter(Boolean).map(unquoted);
  });
}

function unquoted(flag) {
  // make's srcdir is native/, and commands run in native/build/.
  return flag.replace(/^'(.*)'$/, '$1').replace('$(srcdir)', '..');
}

/** Entries of the headers, as check-headers.mjs reads them. */
export function headersIn(root) {
  const file = join(root, 'compile_commands.json');
  if (!existsSync(file)) return [];
  const entries = JSON.parse(readFileSync(file, 'utf8'));
  return entries
    .filter((entry) => entry.file.endsWith('.hpp') && existsSync(entry.file))
    .map((entry) => ({ ...entry, name: relative(root, resolve(entry.file)) }));
}
