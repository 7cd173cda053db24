// Builds the addon where its sources changed. A machine without a C++ compiler gets one notice and the JavaScript
// fallback; BREZEL_REQUIRE_NATIVE=1 makes that an error. Nothing is downloaded: see findHeaders.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kernelFiles, listKernels } from './list-kernels.mjs';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(native, 'build', 'stamp');
const addon = join(native, 'build', 'Release', 'brezel.node');
const require = createRequire(import.meta.url);

/** Everything that the addon is made of, and the Node it is made for. */
function fingerprint() {
  const hash = createHash('sha256').update(
    `${process.platform} ${process.arch} ${process.version} ${process.env.CXX ?? ''} `,
  );
  const folders = ['src', 'include', 'isa', 'primitives', 'fused', 'tensors', 'scripts'].map((name) =>
    join(native, name),
  );
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)));
  for (const file of [join(native, 'binding.gyp'), ...files, ...kernelFiles()].sort()) {
    if (statSync(file).isFile())
      hash.update(relative(native, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * A folder as node-gyp wants it, with Node's headers: the one the user names, else what came with this Node, else one
 * made from the npm package node-api-headers, which is all that the addon includes. node-gyp itself would download them.
 */
export function findHeaders() {
  const isForced = process.env.BREZEL_NATIVE_HEADERS === 'package';
  if (!isForced && process.env.npm_config_nodedir) return process.env.npm_config_nodedir;
  const installed = join(dirname(process.execPath), '..');
  const isComplete = ['node_api.h', 'common.gypi', 'config.gypi'].every((name) =>
    existsSync(join(installed, 'include', 'node', name)),
  );
  return !isForced && isComplete ? installed : makeHeaders();
}

function makeHeaders() {
  const folder = join(native, 'generated', 'headers'); // not in build/, which node-gyp clears
  const include = join(folder, 'include', 'node');
  mkdirSync(include, { recursive: true });
  cpSync(require('node-api-headers').include_dir, include, { recursive: true });
  // The least that node-gyp reads. Without `node_builtin_shareable_builtins` and the like, its defaults are what we
  // want.
  const variables = {
    node_use_v8_platform: 'true',
    node_use_bundled_v8: 'true',
    node_shared: 'false',
    openssl_fips: '',
  };
  writeFileSync(join(include, 'config.gypi'), JSON.stringify({ target_defaults: {}, variables }));
  writeFileSync(join(include, 'common.gypi'), JSON.stringify(commonGypi));
  // node-gyp asks this file for the version of the headers.
  const [major, minor, patch] = process.versions.node.split('.');
  const version = `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n#define NODE_PATCH_VERSION ${patch}\n`;
  writeFileSync(join(include, 'node_version.h'), version);
  return folder;
}

const commonGypi = {
  target_defaults: {
    default_configuration: 'Release',
    cflags: ['-pthread'],
    ldflags: ['-pthread'],
    configurations: { Release: { cflags: ['-fPIC'] }, Debug: { cflags: ['-fPIC', '-g'] } },
    conditions: [['OS=="mac"', { xcode_settings: { OTHER_LDFLAGS: ['-undefined', 'dynamic_lookup'] } }]],
  },
};

/** node-gyp's command file, or undefined where it is not installed. */
function findNodeGyp() {
  try {
    return join(dirname(require.resolve('node-gyp/package.json')), 'bin', 'node-gyp.js');
  } catch {
    return undefined;
  }
}

/** Runs the build; returns what went wrong, or undefined. */
function build() {
  const nodeGyp = findNodeGyp();
  if (!nodeGyp) return 'node-gyp is not installed';
  const args = [
    nodeGyp,
    'rebuild',
    '--directory',
    native,
    '--nodedir',
    findHeaders(),
    '--loglevel',
    'error',
    '--release',
  ];
  const result = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { JOBS: 'max', ...process.env, npm_config_loglevel: 'error' }, // the sources compile side by side
  });
  if (result.status === 0 && existsSync(addon)) return undefined;
  return (result.error?.message ?? `${result.stdout}\n${result.stderr}`).trim() || 'node-gyp failed';
}

function main() {
  if (process.env.BREZEL_NATIVE === 'off') return console.log('native: skipped (BREZEL_NATIVE=off)');
  const kernels = listKernels();
  const stamp = fingerprint();
  if (existsSync(addon) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    return console.log('native: up to date');
  }
  rmSync(stampFile, { force: true });
  const start = Date.now();
  const failure = build();
  if (!failure) {
    writeFileSync(stampFile, stamp);
    return console.log(`native: built ${kernels.length} kernels in ${((Date.now() - start) / 1000).toFixed(0)} s`);
  }
  // An addon of older sources would be worse than none.
  rmSync(addon, { force: true });
  const tail = failure.split('\n').slice(-15).join('\n');
  console.error(
    `native: the C++ addon was not built, so everything runs on the slower JavaScript kernels. Answers are the same.\n` +
      `To fix it, install a C++20 compiler, make and Python 3, then run: npm run build:native\nWhat went wrong:\n${tail}`,
  );
  if (process.env.BREZEL_REQUIRE_NATIVE === '1') process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
