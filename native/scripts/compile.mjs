// Compiles C++ sources in parallel and links them. Sanitizer builds, fuzz targets and the scheduler
// benchmark use it, because node-gyp does not build them.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listKernels } from './list-kernels.mjs';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Returns the paths of all C++ sources that do not need Node, relative to native/. `sets` names the
 * instruction sets to include.
 */
export function coreSources(sets) {
  const { units } = listKernels();
  const kernels = units.filter((unit) => unit.endsWith('tables.cpp') || sets.some((set) => unit.includes(`.${set}.`)));
  return [
    'src/decimals.cpp',
    'src/dictionary/builder.cpp',
    'src/forest_blob_checks.cpp',
    'src/parameters.cpp',
    'src/text_blob_checks.cpp',
    ...kernels,
  ];
}

/**
 * Compiles `sources` and links them.
 *
 * @param {{ compiler: string, flags: string[], sources: string[], output: string, cache?: string,
 * flagsOf?: (source: string) => string[], linkFlags?: string[] }} options `sources` are relative to
 * native/; `flags` apply to compiling and, without `linkFlags`, to linking; `flagsOf` returns more
 * flags of one source; `cache` is a folder with objects of the same sources, compiler and flags,
 * which are not compiled again
 * @returns {Promise<void>} rejects with the output of the compiler
 */
export async function compileAndLink({ compiler, flags, sources, output, cache, flagsOf, linkFlags }) {
  const folder = cache ?? `${output}.objects`;
  mkdirSync(folder, { recursive: true });
  const objects = sources.map((source) => join(folder, `${source.replaceAll('/', '-')}.o`));
  const waiting = sources
    .map((source, index) => ({ source, object: objects[index] }))
    .filter(({ object }) => cache === undefined || !existsSync(object));
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const part = `${next.object}.${process.pid}`; // another process can use the same cache
      const more = flagsOf?.(next.source) ?? [];
      await run(compiler, [...flags, ...more, '-I', native, '-c', join(native, next.source), '-o', part]);
      renameSync(part, next.object);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  await run(compiler, linkFlags ? [...objects, ...linkFlags, '-o', output] : [...flags, ...objects, '-o', output]);
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    let text = '';
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += chunk;
      });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}: ${text}`))));
  });
}
