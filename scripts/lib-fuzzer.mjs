import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The compiler of the fuzz targets. */
export const compiler = process.env.CLANGXX ?? 'clang++';

/**
 * Finds libFuzzer. Debian installs clang without it if the recommended packages are left out.
 *
 * @returns {{ library: string } | { missing: string }} `library` is the path of the libFuzzer that
 * has no main function. `missing` names the missing program, and says how to install it.
 */
export function findLibFuzzer() {
  const { status, stdout } = spawnSync(compiler, ['-print-resource-dir'], { encoding: 'utf8' });
  if (status !== 0)
    return { missing: `${compiler} does not run: install clang (Debian: apt-get install clang), or set CLANGXX` };
  const folder = join(stdout.trim(), 'lib/linux');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((file) => /fuzzer_no_main-(x86_64|aarch64)\.a$/.test(file));
  if (name !== undefined) return { library: join(folder, name) };
  return {
    missing: `no libFuzzer in ${folder}: install the runtime of clang (Debian: apt-get install libclang-rt-dev)`,
  };
}
