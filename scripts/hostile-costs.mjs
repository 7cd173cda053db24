// Prints the costs of hostile files and requests: their error code, the CPU time until the error,
// and the memory beyond their size. Each case runs in a separate process, after one import of a
// small model. The limits are 100 ms of CPU and 100 MB. Times depend on the machine, so this is a
// script and not a test. A case that runs for longer than a minute fails. An argument selects cases
// by a regular expression.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'native/build/hostile-costs.mjs');
const [mode, name, path] = process.argv.slice(2);

if (mode === '--prepare' || mode === '--run') {
  const { hostileCases, measured } = await import(pathToFileURL(bundle).href);
  const { prepare, run } = hostileCases[name];
  if (mode === '--prepare') await prepare?.(path);
  else {
    const fileBytes = existsSync(path) ? statSync(path).size : 0;
    console.info(JSON.stringify(await measured(() => run(path), fileBytes)));
  }
  process.exit(0);
}

const { build } = await import('esbuild');
await build({
  entryPoints: [join(root, 'testing/fuzz/hostile-costs.ts')],
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  outfile: bundle,
  logLevel: 'error',
});
const { hostileCases } = await import(pathToFileURL(bundle).href);
const folder = mkdtempSync(join(tmpdir(), 'brezel-hostile-'));
const TIMEOUT_MS = 60_000;

/**
 * Runs this script in a child process. Returns its output, or throws with the reason of a failure.
 */
function child(label, ...args) {
  const options = { encoding: 'utf8', timeout: TIMEOUT_MS };
  const { status, signal, error, stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), ...args],
    options,
  );
  if (status === 0) return stdout;
  const reason =
    error?.code === 'ETIMEDOUT' ? `no end after ${TIMEOUT_MS / 1000} s` : (signal ?? `exit code ${status}`);
  throw new Error(`${label}: ${reason}\n${stderr}`);
}

let isOver = false;
try {
  console.info('| case | code | CPU (ms) | memory (MB) |\n|---|---|---|---|');
  for (const [at, [label, { code, prepare }]] of Object.entries(hostileCases).entries()) {
    if (mode !== undefined && !new RegExp(mode).test(label)) continue;
    const file = join(folder, String(at));
    if (prepare !== undefined) child(label, '--prepare', label, file);
    const got = JSON.parse(child(label, '--run', label, file));
    const isWrong = got.code !== code || got.milliseconds > 100 || got.megabytes > 100;
    isOver ||= isWrong;
    const mark = isWrong ? ` (expected ${code}, at most 100 ms and 100 MB)` : '';
    console.info(`| ${label}${mark} | ${got.code} | ${got.milliseconds.toFixed(0)} | ${got.megabytes.toFixed(0)} |`);
  }
} finally {
  rmSync(folder, { recursive: true });
  rmSync(bundle);
}
console.info(isOver ? 'some cases exceed the limits' : 'all cases are within the limits');
process.exitCode = isOver ? 1 : 0;
