// Compiles the kernels to WebAssembly: native/wasm/kernels.wasm. The file is committed, so that
// contributors and users need no compiler for it. With --check, the script compares the committed
// file with a new build, and fails if they differ.
//
// It needs Debian's packages clang, lld, libc++-dev-wasm32, libclang-rt-dev-wasm32 and wasi-libc.
// Other versions of clang write other bytes, so --check compares only if clang has the version in
// native/wasm/kernels.json.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileAndLink, coreSources } from './compile.mjs';

const native = join(dirname(fileURLToPath(import.meta.url)), '..');
const committed = join(native, 'wasm', 'kernels.wasm');
const description = join(native, 'wasm', 'kernels.json');
const packages = 'clang lld libc++-dev-wasm32 libclang-rt-dev-wasm32 wasi-libc';

const common = ['--target=wasm32-wasi', '-mexec-model=reactor'];
const flags = [
  ...common,
  '-std=c++20',
  '-msimd128',
  // A fused multiply-add rounds once where the definition rounds twice (README, section 1).
  '-ffp-contract=off',
  '-fno-math-errno',
  '-fno-exceptions',
  '-fno-rtti',
  '-DBREZEL_ROWS_ONLY',
  '-Wno-unused-function',
  '-Wno-bitwise-conditional-parentheses',
];
/**
 * Groups of kernels that are compiled for speed. The other groups are compiled for size, because
 * browsers download the file.
 */
const fast = ['text'];

/** Returns the version of clang if it can compile to WebAssembly, otherwise undefined. */
function findClang() {
  const version = /version (\S+)/.exec(run('clang++', ['--version']) ?? '')?.[1];
  const library = run('clang++', ['--target=wasm32-wasi', '-print-libgcc-file-name'])?.trim();
  const isComplete = library && existsSync(library) && existsSync('/usr/lib/wasm32-wasi/libc.a');
  return version && isComplete && run('wasm-ld', ['--version']) ? { version, library } : undefined;
}

function run(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

/** Compiles and links the module, and returns its bytes. */
async function build({ library }) {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-wasm-'));
  try {
    const output = join(folder, 'kernels.wasm');
    const isFast = (source) => fast.some((group) => source === `generated/${group}.baseline.cpp`);
    const core = coreSources(['baseline']).filter((source) => !unused.has(source));
    await compileAndLink({
      compiler: 'clang++',
      flags,
      flagsOf: (source) => [isFast(source) ? '-O3' : '-Os'],
      linkFlags: [
        ...common,
        '-nodefaultlibs',
        '-Wl,--strip-all',
        '-Wl,--gc-sections',
        '-Wl,--export=__stack_pointer',
        '-Wl,--max-memory=4294967296',
        '-lc++',
        '-lc',
        library,
      ],
      sources: ['wasm/libc.cpp', 'wasm/module.cpp', ...core],
      output,
    });
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sources of the addon that the module does not contain. */
const unused = new Set(['src/dictionary/builder.cpp', 'src/parameters.cpp']);

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

async function main() {
  const isCheck = process.argv.includes('--check');
  const clang = findClang();
  if (clang === undefined) {
    const reason = `clang cannot compile to WebAssembly here; install ${packages}`;
    if (isCheck) return console.log(`skipped: ${reason}`);
    throw new Error(reason);
  }
  const known = existsSync(description) ? JSON.parse(readFileSync(description, 'utf8')) : {};
  if (isCheck && known.clang !== clang.version)
    return console.log(`skipped: clang ${clang.version}, but the committed file is of clang ${known.clang}`);
  const bytes = await build(clang);
  const sum = sha256(bytes);
  if (isCheck) {
    if (sum === sha256(readFileSync(committed))) return console.log('native/wasm/kernels.wasm is up to date');
    console.error('native/wasm/kernels.wasm differs from its sources; build it again: npm run build:wasm');
    process.exitCode = 1;
    return;
  }
  writeFileSync(committed, bytes);
  writeFileSync(description, `${JSON.stringify({ clang: clang.version, sha256: sum }, null, 2)}\n`);
  console.log(`native/wasm/kernels.wasm: ${bytes.length} bytes`);
}

await main();
