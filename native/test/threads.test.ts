import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { GUARD_MS } from '../../testing/guard.js';
import { addon, isas, Program } from './harness.js';
import { dictionary, runs, smallModel } from './small-model.js';

// The memory use of sanitizers disturbs tests that measure memory.
const isSanitized = process.env.LD_PRELOAD?.includes('asan') ?? false;
const loader = createRequire(import.meta.url).resolve('../index.cjs');
const isa = isas.at(-1)!;

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

describe('threads', () => {
  const texts = ['good', 'not good', '', 'é bad', 'good '.repeat(500)];

  it('eight concurrent workers share parameters and free everything', async () => {
    smallModel(program);
    const before = addon.parameterStats();
    const expected = texts.map((text) => {
      const out = new Float64Array(1);
      addon.predictText(program.plan(isa), text, out);
      return out[0]!;
    });
    const held = addon.parameterPut('test/from-main', new Uint8Array(10));
    const parameters = [
      runs,
      dictionary,
      new Uint8Array(Float32Array.of(1, 10, 100, 1e3, 1e4, 1e5, 1e6).buffer),
      new Uint8Array(Float32Array.of(0.5).buffer),
    ].map((bytes, at) => ({ id: `test/worker/${at}`, bytes }));
    const { slots, instructions, inputs, outputs } = program;
    const source = { slots, instructions, inputs, outputs };
    const start = (at: number) =>
      new Promise<{ sums: number[] }>((resolve, reject) => {
        const workerData = { isa: isas[at % isas.length], parameters, source, texts, rounds: 500, handle: held };
        const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData });
        let result: { sums: number[] };
        worker.on('message', (message) => {
          result = message;
        });
        worker.on('error', reject);
        worker.on('exit', () => resolve(result));
      });
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(Array.from({ length: 8 }, (_, at) => start(at)));
      for (const { sums } of results) expect(sums).toEqual(expected);
    }
    addon.parameterRelease(held);
    expect(addon.parameterStats()).toEqual(before);
  });

  it('a worker may be terminated while it runs', async () => {
    const before = addon.parameterStats();
    const code = `const { addon } = require(${JSON.stringify(loader)}); const { parentPort } = require('node:worker_threads');
      addon.parameterPut('test/terminated', new Uint8Array(1000)); parentPort.postMessage(0); for (;;) addon.isas();`;
    const workers = Array.from({ length: 4 }, () => new Worker(code, { eval: true }));
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
    expect(addon.parameterStats().objects).toBe(before.objects + 1);
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(addon.parameterStats()).toEqual(before);
  });

  const run = (code: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: GUARD_MS, env: { ...process.env, ...env } });

  it('a process exits by itself with all handles open', () => {
    const result =
      run(`const { addon } = require(${JSON.stringify(loader)}); addon.parameterPut('a', new Uint8Array(1e6));
      const { Worker } = require('node:worker_threads');
      new Worker('require(' + ${JSON.stringify(JSON.stringify(loader))} + ').addon.parameterPut("a", new Uint8Array(1e6))', { eval: true });`);
    expect([result.status, result.signal, result.stderr]).toEqual([0, null, '']);
  });

  it('the addon can be loaded in a worker only', () => {
    const result = run(`const { Worker } = require('node:worker_threads'); let left = 5;
      const next = () => left-- && new Worker('require(' + ${JSON.stringify(JSON.stringify(loader))} + ').addon.parameterPut("a", new Uint8Array(1e6))', { eval: true }).on('exit', next);
      next();`);
    expect([result.status, result.signal, result.stderr]).toEqual([0, null, '']);
  });

  it('the loader explains an absent addon', () => {
    const result = run(
      `const { addon, error } = require(${JSON.stringify(loader)}); console.log(addon, error.code, error.message)`,
      { BREZEL_NATIVE: 'off' },
    );
    expect(result.stdout).toContain('undefined ERR_NATIVE_LOAD');
    expect(result.stdout).toContain('BREZEL_NATIVE=off');
  });

  it.skipIf(isSanitized)('running out of memory is an error, and the thread continues', () => {
    // With this memory limit, scratch for a long text does not fit; scratch for a short text does.
    const result = spawnSync('bash', ['-c', 'ulimit -v 2200000; exec "$0" -e "$1"', process.execPath, outOfMemory()], {
      encoding: 'utf8',
      timeout: GUARD_MS,
    });
    // Node itself does not start with so little memory on this machine
    if (/ulimit|Fatal|allocation failed/.test(result.stderr)) return;
    expect(result.stdout).toBe('ERR_NATIVE_MEMORY 1.5\n');
  });
});

/** Returns a script whose prediction needs gigabytes of scratch. */
function outOfMemory(): string {
  smallModel(program);
  const { slots, instructions, inputs, outputs } = program;
  const parameters = program.parameters.map((handle) => Buffer.from(addon.parameterCopy(handle)).toString('base64'));
  return `const { addon } = require(${JSON.stringify(loader)});
    const parameters = ${JSON.stringify(parameters)}.map((text, at) => addon.parameterPut('p' + at, new Uint8Array(Buffer.from(text, 'base64'))));
    const stage = addon.stageCreate({ isa: 'baseline', ...${JSON.stringify({ slots, instructions, inputs, outputs })}, parameters });
    const plan = addon.planCreate({ stages: [stage], wiring: [1, 1, 0, 1], inputs: [0], outputs: [1], maxInputBytes: 2 ** 28 });
    const out = new Float64Array(1);
    let code;
    try { addon.predictText(plan, 'a '.repeat(2 ** 25), out); } catch (error) { code = error.code; }
    addon.predictText(plan, 'good', out);
    console.log(code, out[0]);`;
}
