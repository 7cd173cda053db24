// Builds the addon. It compiles only changed sources, or everything if the configuration changed.
// Without a C++ compiler it prints one notice, and Brezel runs JavaScript kernels. With
// BREZEL_REQUIRE_NATIVE=1, a missing compiler is an error.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCompileCommands } from './compile-commands.mjs';
import { kernelFiles, listKernels } from './list-kernels.mjs';
import { findCompiler, findNodeGyp, runNodeGyp } from './node-gyp.mjs';
import { findHeaders } from './node-headers.mjs';
import { alignTimes, isSame, readSources } from './source-times.mjs';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(native, 'build', 'stamp.json');
const addon = join(native, 'build', 'Release', 'brezel.node');

/**
 * Returns the inputs of node-gyp's configuration. If `tools` changes, everything is compiled again.
 * If `project` changes, for example because of a new group of kernels, only the Makefile is written
 * again.
 */
function configurationOf(units) {
  const hash = (text) => createHash('sha256').update(text).digest('hex');
  const tools = [process.platform, process.arch, process.version, findCompiler(), process.env.CXXFLAGS, findHeaders()];
  const project = [native, readFileSync(join(native, 'binding.gyp'), 'utf8'), ...units];
  return { tools: hash(JSON.stringify(tools)), project: hash(JSON.stringify(project)) };
}

/** Returns the configuration and the sources of the last successful build. */
function readStamp() {
  return existsSync(stampFile) && existsSync(addon) ? JSON.parse(readFileSync(stampFile, 'utf8')) : undefined;
}

/** Compiles and links. Returns the error text, or undefined on success. */
async function build(configuration, units) {
  if (!findNodeGyp()) return 'node-gyp is not installed';
  const configured = join(native, 'build', 'configuration.json');
  const before = existsSync(configured) ? JSON.parse(readFileSync(configured, 'utf8')) : {};
  if (before.tools !== configuration.tools) rmSync(join(native, 'build'), { recursive: true, force: true });
  if (before.tools !== configuration.tools || before.project !== configuration.project) {
    const failure = await runNodeGyp('configure', native);
    if (failure) return failure;
    writeFileSync(configured, JSON.stringify(configuration));
  }
  writeCompileCommands(native, units, kernelFiles());
  return (await runNodeGyp('build', native)) ?? (existsSync(addon) ? undefined : 'node-gyp built no addon');
}

async function main() {
  if (process.env.BREZEL_NATIVE === 'off') return console.log('native: skipped (BREZEL_NATIVE=off)');
  const { names, units } = listKernels();
  const sources = readSources(native, kernelFiles());
  const configuration = configurationOf(units);
  const built = readStamp();
  const isConfigured = built && JSON.stringify(built.configuration) === JSON.stringify(configuration);
  if (isConfigured && isSame(sources, built.sources)) return console.log('native: up to date');
  if (built) alignTimes(native, sources, built.sources);
  rmSync(stampFile, { force: true });
  const start = Date.now();
  const failure = await build(configuration, units);
  if (!failure) {
    // If a source changed meanwhile, the addon may not contain the sources that the stamp lists.
    if (!isSame(readSources(native, kernelFiles()), sources))
      return console.log('native: sources changed during the build; run it again');
    mkdirSync(dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, JSON.stringify({ configuration, sources }));
    return console.log(`native: built ${names.length} kernels in ${((Date.now() - start) / 1000).toFixed(0)} s`);
  }
  rmSync(addon, { force: true }); // an addon of older sources would be worse than no addon
  const tail = failure.split('\n').slice(-15).join('\n');
  console.error(
    `native: the C++ addon was not built, so everything runs on the slower JavaScript kernels. Answers are the same.\n` +
      `To fix it, install a C++20 compiler, make and Python 3, then run: npm run build:native\nWhat went wrong:\n${tail}`,
  );
  if (process.env.BREZEL_REQUIRE_NATIVE === '1') process.exitCode = 1;
}

await main();
