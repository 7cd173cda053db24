// Runs node-gyp and prints which unit is being compiled.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { findHeaders } from './node-headers.mjs';

const require = createRequire(import.meta.url);
const printEveryMs = 5000;

/** Returns node-gyp's command file, or undefined if it is not installed. */
export function findNodeGyp() {
  try {
    return join(dirname(require.resolve('node-gyp/package.json')), 'bin', 'node-gyp.js');
  } catch {
    return undefined;
  }
}

/**
 * Returns the compiler command for `make`. If ccache is installed, the command calls the compiler
 * of CXX, or the standard compiler, through ccache. Returns undefined if `make` can select the
 * compiler.
 */
export function findCompiler() {
  const compiler = process.env.CXX;
  if (compiler?.includes('ccache') || process.platform === 'win32') return compiler;
  const isCached = spawnSync('ccache', ['--version']).status === 0;
  const standard = process.platform === 'darwin' ? 'c++' : 'g++';
  return isCached ? `ccache ${compiler ?? standard}` : compiler;
}

/**
 * Runs `node-gyp COMMAND`.
 *
 * @param {'configure' | 'rebuild' | 'build'} command
 * @param {string} native the folder native/
 * @returns {Promise<string | undefined>} the error text, or undefined
 */
export async function runNodeGyp(command, native) {
  const options = ['--directory', native, '--nodedir', findHeaders(), '--loglevel', 'error', '--release'];
  const compiler = findCompiler();
  const env = {
    JOBS: String(availableParallelism()),
    // Without paths of a clone in ccache's keys, clones share cached objects.
    CCACHE_BASEDIR: join(native, '..'),
    CCACHE_NOHASHDIR: '1',
    ...process.env,
    ...(compiler && { CXX: compiler }),
    npm_config_loglevel: 'error',
  };
  const child = spawn(process.execPath, [findNodeGyp(), command, ...options], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  const print = unitPrinter(command === 'build' ? countUnits(native, env) : 0);
  const lines = [child.stdout, child.stderr].map(async (stream) => {
    for await (const line of createInterface({ input: stream })) {
      output.push(line);
      print(line);
    }
  });
  const [code, error] = await new Promise((resolve) => {
    child.on('error', (cause) => resolve([1, cause]));
    child.on('close', (status) => resolve([status, undefined]));
  });
  await Promise.all(lines);
  if (code === 0) return warningsOf(output);
  return error?.message ?? (output.join('\n').trim() || `node-gyp ${command} failed`);
}

/**
 * Prints the compiler's warnings, which do not fail a build. Returns undefined, the result of a
 * successful build.
 */
function warningsOf(output) {
  const warnings = output.filter((line) => line.includes('warning:'));
  if (warnings.length > 0) console.error(warnings.join('\n'));
  return undefined;
}

/** Returns the number of units that `make` will compile, or 0 if this number is unknown. */
function countUnits(native, env) {
  const { status, stdout } = spawnSync('make', ['--dry-run', 'BUILDTYPE=Release', '-C', join(native, 'build')], {
    encoding: 'utf8',
    env,
  });
  return status === 0 ? (stdout.match(/CXX\(target\)/g)?.length ?? 0) : 0;
}

/**
 * Returns a function that reads the output lines of `make` and prints progress every few seconds at
 * most.
 */
function unitPrinter(total) {
  const start = Date.now();
  let count = 0;
  let printed = start;
  return (line) => {
    const found = /^\s*CXX\(target\) (\S+)/.exec(line);
    if (!found) return;
    count++;
    const now = Date.now();
    if (now - printed < printEveryMs) return;
    printed = now;
    const unit = basename(found[1], '.o');
    const of = total >= count ? ` of ${total}` : '';
    console.log(`native: compiling unit ${count}${of} (${unit}), ${((now - start) / 1000).toFixed(0)} s`);
  };
}
