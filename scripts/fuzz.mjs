// npm run fuzz -- NAME [--minutes N] [--runs N] [--seed N] [--corpus FOLDER]: coverage-guided
// fuzzing with libFuzzer (clang) of the addon (stages, dictionaries, forests, loader) and of the
// importers (onnx, lightgbm, xgboost, mlnet, pmml, scikit-learn). Each target has a folder,
// native/build/fuzz/NAME, so several targets can run at once. Its folder `corpus` stores inputs
// that reach new code, and `findings` stores findings. A later run continues with the stored
// inputs. The targets of the addon share compiled kernels.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compiler, findLibFuzzer } from './lib-fuzzer.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * For each fuzz target, the longest input in bytes (`maxBytes`), and for a native target the file
 * in native/fuzz (`source`).
 */
const targets = {
  stages: { source: 'stages', maxBytes: 8192 },
  dictionaries: { source: 'blobs', maxBytes: 40_000 },
  forests: { source: 'blobs', maxBytes: 4096 },
  loader: { source: 'loader', maxBytes: 16_384 },
  onnx: { maxBytes: 8192 },
  lightgbm: { maxBytes: 4096 },
  xgboost: { maxBytes: 8192 },
  mlnet: { maxBytes: 16_384 },
  pmml: { maxBytes: 16_384 },
  'scikit-learn': { maxBytes: 16_384 },
};
/**
 * A process that fuzzes an importer ends after this many executions. Finalizers do not run while it
 * fuzzes, so its object store grows.
 */
const PROCESS_RUNS = 50_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    corpus: { type: 'string' },
  },
});
const [name] = positionals;
if (!Object.hasOwn(targets, name ?? '')) fail(`expected one of ${Object.keys(targets).join(', ')}, received ${name}`);
const libFuzzer = findLibFuzzer();
if ('missing' in libFuzzer) fail(libFuzzer.missing);
const { source, maxBytes } = targets[name];
const folder = join(root, 'native/build/fuzz', name);
const minutes = Number(values.minutes ?? (values.runs === undefined ? 1 : 600));
const runs = Number(values.runs ?? Infinity);
const seeds = join(folder, 'seeds');
const corpus = values.corpus ?? join(folder, 'corpus');
const findings = join(folder, 'findings');
const log = join(folder, 'log.txt');
for (const path of [corpus, findings]) mkdirSync(path, { recursive: true });
rmSync(seeds, { recursive: true, force: true });

let end = Infinity;
/**
 * Starts the time limit. Call this function when everything is built, so that the time of the build
 * does not count.
 */
const begin = () => {
  end = Date.now() + minutes * 60_000;
};
const common = [`-max_len=${maxBytes}`, '-rss_limit_mb=4096', '-timeout=10', `-artifact_prefix=${findings}/`];
process.exit(source === undefined ? await fuzzImporter() : await fuzzAddon());

function fail(message) {
  console.error(`fuzz: ${message}`);
  process.exit(1);
}

/**
 * Runs libFuzzer. Returns the number of executions, the coverage, and whether nothing was found.
 */
function execute(command, args, env, left) {
  const seconds = Math.max(1, Math.ceil((end - Date.now()) / 1000));
  const limits = [`-max_total_time=${seconds}`, ...(left === Infinity ? [] : [`-runs=${left}`])];
  const output = openSync(log, 'w'); // the output can be larger than a buffer of spawnSync
  const options = { env: { ...process.env, ...env }, stdio: ['ignore', output, output] };
  const { status } = spawnSync(command, [...args, ...limits], options);
  closeSync(output);
  const text = readFileSync(log, 'utf8');
  const done =
    /^Done (\d+) runs/m.exec(text)?.[1] ??
    text
      .match(/^#(\d+)/gm)
      ?.at(-1)
      ?.slice(1) ??
    '0';
  if (status !== 0) console.error(text.slice(-6000));
  return { executions: Number(done), isClean: status === 0, coverage: text.match(/cov: \d+/g)?.at(-1) };
}

function report(executions, coverage, isClean) {
  if (executions === 0) fail(`${name} did not run; see ${log}`);
  const found = isClean ? 'no finding' : `a finding in ${findings}`;
  console.info(`${name}: ${executions} executions, ${coverage}, seed ${values.seed}, ${found}`);
  return isClean ? 0 : 1;
}

async function fuzzAddon() {
  const { coreSources, compileAndLink } = await import('../native/scripts/compile.mjs');
  const { kernelFiles } = await import('../native/scripts/list-kernels.mjs');
  const { readSources } = await import('../native/scripts/source-times.mjs');
  const { writeSeeds } = await import('../native/fuzz/write-seeds.mjs');
  await writeSeeds(seeds);
  const flags = [
    ...['-std=c++20', '-O1', '-g1', '-fno-omit-frame-pointer', '-ffp-contract=off', '-fno-math-errno', '-w'],
    // clang does not define the macro by which memory.hpp makes buffers exact
    ...['-DBREZEL_PORTABLE', '-D__SANITIZE_ADDRESS__', '-fsanitize=fuzzer,address,undefined'],
    ...['-fno-sanitize-recover=all', '-fno-sanitize=float-divide-by-zero,float-cast-overflow'],
  ];
  const output = join(folder, 'target');
  const sources = [...coreSources(['baseline']), `fuzz/${source}.cpp`];
  const native = join(root, 'native');
  const drivers = readdirSync(join(native, 'fuzz')).map((file) => join(native, 'fuzz', file));
  const contents = Object.entries(readSources(native, [...kernelFiles(), ...drivers])).map(([file, { hash }]) => [
    file,
    hash,
  ]);
  const version = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout;
  const key = createHash('sha256').update(JSON.stringify([version, flags, contents]));
  const cache = join(native, 'build/fuzz/objects', key.digest('hex').slice(0, 16));
  await compileAndLink({ compiler, flags, sources, output, cache });
  const env = {
    BREZEL_FUZZ_TABLES: join(seeds, 'tables'),
    BREZEL_FUZZ_STAGES: join(seeds, `${name}-stages`),
    ASAN_OPTIONS: 'allocator_may_return_null=1',
  };
  const args = [...common, `-seed=${values.seed}`, corpus, join(seeds, name)];
  begin();
  const { executions, isClean, coverage } = execute(output, args, env, runs);
  return report(executions, coverage, isClean);
}

async function fuzzImporter() {
  const addon = join(folder, 'javascript.node');
  const { findHeaders } = await import('../native/scripts/node-headers.mjs');
  const flags = ['-std=c++20', '-O1', '-fPIC', '-shared', `-I${join(findHeaders(), 'include/node')}`];
  const files = [join(root, 'native/fuzz/javascript.cpp'), libFuzzer.library, '-o', addon];
  const compiled = spawnSync(compiler, [...flags, ...files, '-lpthread', '-ldl'], { encoding: 'utf8' });
  if (compiled.status !== 0) fail(compiled.stderr);
  const bundle = join(folder, 'importers.mjs');
  const counters = await bundleImporters(bundle);
  begin();
  let [executions, coverage, seed] = [0, undefined, Number(values.seed)];
  while (executions < runs && Date.now() < end) {
    const args = [join(root, 'testing/fuzz/run-importer.mjs'), bundle, addon, name, seeds, ...common];
    const left = Math.min(PROCESS_RUNS, runs - executions);
    const env = { BREZEL_FUZZ_COUNTERS: String(counters) };
    const result = execute(process.execPath, [...args, `-seed=${seed++}`, corpus], env, left);
    executions += result.executions;
    coverage = result.coverage ?? coverage;
    if (!result.isClean) return report(executions, coverage, false);
  }
  return report(executions, coverage, true);
}

/**
 * Bundles Brezel with the fuzz targets. Inserts counters, so that libFuzzer sees which branches
 * ran.
 */
async function bundleImporters(bundle) {
  const { build } = await import('esbuild');
  const { instrument } = await import('../testing/fuzz/instrument.mjs');
  const built = await build({
    entryPoints: [join(root, 'testing/fuzz/importers.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'error',
    external: ['@brezel/native', 'onnxruntime-node', '@tensorflow/*', 'vitest'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  const { code, counters } = instrument(built.outputFiles[0].text);
  writeFileSync(bundle, code);
  return counters;
}
