import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadNative } from 'brezel';
import { describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../../testing/guard.js';
import { corpusFolders } from '../corpus/corpus.js';

const examples = fileURLToPath(new URL('../../../../examples/models/', import.meta.url));
const [model] = existsSync(examples)
  ? readdirSync(examples)
      .filter((name) => name.endsWith('.onnx'))
      .map((name) => join(examples, name))
  : corpusFolders('family').map((folder) => join(folder, 'model.onnx'));

/**
 * Runs a process to its end. Returns the JSON values in the lines that it printed.
 *
 * @throws when the process fails or hangs.
 */
async function run(mode: string, workers: number, environment: NodeJS.ProcessEnv = {}): Promise<unknown[]> {
  const args = [fileURLToPath(new URL('./main.mjs', import.meta.url)), model!, mode, String(workers)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    output.out += data;
  });
  child.stderr.on('data', (data) => {
    output.err += data;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), GUARD_MS);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  clearTimeout(timer);
  if (code !== 0) throw new Error(`the process ended with ${code ?? signal}: ${output.err || output.out}`);
  return output.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

interface Report {
  readonly before: unknown;
  readonly held: unknown;
  readonly after: unknown;
  readonly results: readonly { readonly digests: readonly string[]; readonly engine: string }[];
}

describe.skipIf(model === undefined)('worker threads that run one model at the same time', () => {
  test('give the same answers for rows and batches, share parameters, and the process exits by itself', async () => {
    const [report, released] = (await run('release', 4)) as [Report, unknown];
    expect(report.results).toHaveLength(4);
    expect(new Set(report.results.flatMap(({ digests }) => digests)).size).toBe(1);
    expect(new Set(report.results.map(({ engine }) => engine))).toEqual(
      new Set([loadNative().addon ? 'native' : 'wasm']),
    );
    expect(report.after).toEqual(report.held); // the end of the threads released their parameters
    expect(released ?? undefined).toEqual(report.before);

    // Workers without the addon run the same code. Two of them are enough to compare their answers.
    const [plain] = (await run('leave', 2, { BREZEL_NATIVE: 'off' })) as [Report];
    expect(plain.results.map(({ engine }) => engine)).toEqual(['wasm', 'wasm']);
    for (const { digests } of plain.results) expect(digests).toEqual(report.results[0]!.digests);
  });

  test('can be terminated while they run', async () => {
    const [report] = (await run('terminate', 4)) as [Report];
    expect(report.after).toEqual(report.held);
  });
});
