// Writes compile_commands.json at the repository's root, for clangd and for check-headers.mjs. It
// copies the flags from node-gyp's Makefile. Headers have entries too. On x64, headers with kernels
// are compiled for AVX-512 (level 5 of isa/region.hpp); on other processors, for the baseline
// (level 0).
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** The BREZEL_LEVEL (isa/region.hpp) with which an editor compiles headers that contain kernels. */
const level = process.arch === 'x64' ? 5 : 0;
/** For each folder of headers, the BREZEL_LEVEL with which an editor compiles them. */
const headerFolders = { include: 0, isa: level, primitives: level, fused: level, tensors: level, src: 0 };

/**
 * Writes compile_commands.json.
 *
 * @param {string} native the folder native/
 * @param {string[]} units paths of the sources, relative to `native`
 * @param {string[]} kernels paths of kernel headers outside `native`
 */
export function writeCompileCommands(native, units, kernels) {
  const makefile = join(native, 'build', 'brezel.target.mk');
  // another generator than make wrote the project, such as Visual Studio
  if (!existsSync(makefile)) return;
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

/** Returns the flags with which `make` compiles every C++ source of the release build. */
function flagsOf(makefile) {
  const variables = ['DEFS_Release', 'INCS_Release', 'CFLAGS_Release', 'CFLAGS_CC_Release'];
  return variables.flatMap((variable) => {
    const [, value = ''] = new RegExp(`^${variable} := ((?:.*\\\\\\n)*.*)`, 'm').exec(makefile) ?? [];
    return value.replaceAll('\\\n', ' ').split(/\s+/).filter(Boolean).map(unquoted);
  });
}

function unquoted(flag) {
  // srcdir in the Makefile is native/, and commands run in native/build/.
  return flag.replace(/^'(.*)'$/, '$1').replace('$(srcdir)', '..');
}

/** Returns the entries of the headers in compile_commands.json. */
export function headersIn(root) {
  const file = join(root, 'compile_commands.json');
  if (!existsSync(file)) return [];
  const entries = JSON.parse(readFileSync(file, 'utf8'));
  return entries
    .filter((entry) => entry.file.endsWith('.hpp') && existsSync(entry.file))
    .map((entry) => ({ ...entry, name: relative(root, resolve(entry.file)) }));
}
