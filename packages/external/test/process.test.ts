import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProcessOptions, processPredictor } from '@brezel/external';
import { type Clock, createFlour, createRuntime, systemClock } from 'brezel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';

const tools = fileURLToPath(new URL('../../../tools/python', import.meta.url));
const script = fileURLToPath(new URL('container.py', import.meta.url));
const { status, stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' });
const hasPython = status === 0 && process.platform !== 'win32';
if (!hasPython) console.warn('containers are not started: python3 or Unix sockets are missing');
else console.info(stdout.trim());

const flour = await createFlour();
const ends: (() => Promise<unknown> | unknown)[] = [];
const temporary = process.env.TMPDIR;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'b-'));
  process.env.TMPDIR = folder;
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  rmSync(folder, { recursive: true });
});

async function container(role: string, options: Partial<ProcessOptions> = {}) {
  const env = { TOOLS: tools, ROLE: role };
  const external = await processPredictor({
    command: 'python3',
    args: ['-B', script],
    env,
    model: 'sums',
    restMs: 1,
    maxRestMs: 1,
    ...options,
  });
  ends.push(() => external.close());
  const runtime = createRuntime({ store: flour.store, backends: [external] });
  ends.push(() => runtime.close());
  const plan = runtime.register(external.program(flour).plan());
  const ask = async (a: number, b = 0) => (await runtime.predict(plan, [a, b])) as unknown as { y: number };
  return { external, runtime, plan, ask };
}

/** Returns whether a process exists. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.runIf(hasPython)('the tests of brezel_container.py pass', () => {
  const { status, stderr } = spawnSync('python3', ['-B', join(tools, 'test_brezel_container.py')], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
});

describe.runIf(hasPython)('a model in a Python process', () => {
  test('answers rows over a socket in a private folder, and ends with its runtime', async () => {
    const { runtime, plan, ask } = await container('pid', { replicas: 2 });
    const pids = new Set(await Promise.all(Array.from({ length: 8 }, async (_, row) => (await ask(row)).y)));
    expect(pids.size).toBe(2);
    const [sockets] = readdirSync(folder);
    expect(statSync(join(folder, sockets!)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, sockets!)).toSorted()).toEqual(['0', '1']);
    expect(await runtime.predictBatch(plan, [])).toEqual([]);
    await runtime.close();
    for (const pid of pids) expect(exists(pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('starts without a shell, and receives only the listed environment variables', async () => {
    const print = 'console.error(Object.keys(process.env).sort().join(), process.argv[1]); process.exit(3)';
    const args = ['-e', print, '$(id); exit 0'];
    const failed = processPredictor({ command: process.execPath, args, env: { A: '1' }, model: 'sums' });
    await expect(failed).rejects.toMatchObject({
      cause: { message: expect.stringContaining('exit code 3; stderr: A,BREZEL_SOCKET $(id); exit 0') },
    });
  });

  test('SIGKILL during a batch: each call has one answer or error, and a new process answers', async () => {
    const { external, runtime, plan, ask } = await container('dies', { maxBatch: 1, concurrency: 4 });
    const settled = await Promise.allSettled([1, 13, 2].map((a) => ask(a)));
    expect(settled).toHaveLength(3);
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: { code: 'ERR_EXTERNAL_PROCESS' } });
    const { reason } = settled[1] as PromiseRejectedResult;
    expect(reason.message).toMatch(/signal SIGKILL; stderr: cannot stand 13/);
    expect(reason.message).toContain('process 0 of sums');
    for (const [index, one] of settled.entries())
      if (one.status === 'fulfilled') expect(one.value).toEqual({ y: [1, 13, 2][index] });
    await until(() => external.stats().replicas[0]!.state === 'up');
    expect(await runtime.predictBatch(plan, [[3, 4]])).toEqual([{ y: 7 }]);
  });

  test('a process that ends without a request is started again', async () => {
    const { external, ask } = await container('pid');
    const { y: pid } = await ask(1);
    process.kill(pid, 'SIGKILL');
    await until(() => external.stats().replicas[0]!.failures > 0 && external.stats().replicas[0]!.state === 'up');
    const { y: next } = await ask(1);
    expect(next).not.toBe(pid);
  });

  test('without free file descriptors, the process is started later', () => {
    const program = `
      import { closeSync, openSync } from 'node:fs';
      import { processPredictor } from '@brezel/external';
      import { createFlour, createRuntime, systemClock } from 'brezel';
      const rests = [];
      const timer = { cancel() {}, unref: () => timer };
      const clock = {
        now: () => systemClock.now(),
        setTimeout: (call, ms) => (ms === 600_000 ? (rests.push(call), timer) : systemClock.setTimeout(call, ms)),
      };
      const until = async (holds) => {
        while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
      };
      const external = await processPredictor({ ...${JSON.stringify({
        command: 'python3',
        args: ['-B', script],
        env: { TOOLS: tools, ROLE: 'pid' },
        model: 'sums',
        restMs: 600_000,
        maxRestMs: 600_000,
      })}, clock });
      const flour = await createFlour();
      const runtime = createRuntime({ store: flour.store, backends: [external] });
      const plan = runtime.register(external.program(flour).plan());
      process.kill((await runtime.predict(plan, [1, 2])).y, 'SIGKILL');
      await until(() => rests.length === 1);
      const files = [];
      try {
        for (;;) files.push(openSync('/dev/null'));
      } catch {}
      rests.shift()();
      await until(() => rests.length === 1);
      const [{ lastError }] = external.stats().replicas;
      for (const file of files) closeSync(file);
      rests.shift()();
      await until(() => external.stats().replicas[0].state === 'up');
      const { y } = await runtime.predict(plan, [1, 2]);
      console.log(JSON.stringify({ lastError, y }));
      await runtime.close();`;
    const args = ['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program];
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    const { stdout: printed, stderr } = spawnSync('sh', args, { encoding: 'utf8', cwd });
    expect(printed, stderr).not.toBe('');
    expect(JSON.parse(printed)).toEqual({ lastError: expect.stringContaining('EMFILE'), y: expect.any(Number) });
  });

  test('an error of predict_batch is the error of the call', async () => {
    const { external, ask } = await container('raises');
    await expect(ask(13)).rejects.toMatchObject({
      code: 'ERR_EXTERNAL_REPLICA',
      message: expect.stringContaining('ValueError: 13 is unlucky'),
    });
    expect(await ask(1, 2)).toEqual({ y: 3 });
    expect(external.stats().replicas[0]!.failures).toBe(0);
  });

  test('fewer answers than rows', async () => {
    const { runtime, plan } = await container('fewer');
    const failed = runtime.predictBatch(plan, [
      [1, 2],
      [3, 4],
    ]);
    await expect(failed).rejects.toThrow(/predict_batch returned 1 answers for 2 rows/);
  });

  test('a process that hangs: the signal ends the call, and close ends the process', async () => {
    const { external, runtime, plan, ask } = await container('hangs');
    const stop = new AbortController();
    const failed = runtime.predict(plan, [13, 0], { signal: stop.signal });
    await until(() => external.stats().replicas[0]!.outstanding === 1);
    stop.abort(new Error('enough'));
    await expect(failed).rejects.toThrow('enough');
    await external.close();
    await expect(ask(1)).rejects.toMatchObject({ code: 'ERR_EXTERNAL_CLOSED' });
  });

  test('a process that does not answer in time is ended, and a new process answers', async () => {
    const timeoutMs = 600_000;
    const timeouts = new Set<() => void>();
    const clock: Clock = {
      now: () => systemClock.now(),
      setTimeout(call, delayMs) {
        if (delayMs !== timeoutMs) return systemClock.setTimeout(call, delayMs);
        timeouts.add(call);
        const timer = { cancel: () => void timeouts.delete(call), unref: () => timer };
        return timer;
      },
    };
    const { external, ask } = await container('hangs', { clock, timeoutMs });
    const { y: pid } = await ask(1);
    const failed = expect(ask(13)).rejects.toMatchObject({ code: 'ERR_EXTERNAL_TIMEOUT' });
    await until(() => external.stats().replicas[0]!.outstanding === 1 && timeouts.size === 1);
    for (const call of [...timeouts]) call();
    await failed;
    await until(() => external.stats().replicas[0]!.state === 'up');
    expect(exists(pid)).toBe(false);
    expect((await ask(1)).y).not.toBe(pid);
  });

  test('a script that fails at the start: the error has its last lines, and nothing is left', async () => {
    const failed = container('broken');
    await expect(failed).rejects.toMatchObject({
      code: 'ERR_EXTERNAL_UNAVAILABLE',
      cause: { code: 'ERR_EXTERNAL_PROCESS', message: expect.stringMatching(/exit code 1; stderr: no model file/) },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('after process.exit without close, no folder is left', () => {
    const program = `
      import { processPredictor } from '@brezel/external';
      await processPredictor(${JSON.stringify({
        command: 'python3',
        args: ['-B', script],
        env: { TOOLS: tools, ROLE: 'sums' },
        model: 'sums',
      })});
      process.exit(0);`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    expect(status, stderr).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('the process ends when the process that started it is killed', async () => {
    const program = `
      import { processPredictor } from '@brezel/external';
      import { createFlour, createRuntime } from 'brezel';
      const external = await processPredictor(${JSON.stringify({
        command: 'python3',
        args: ['-B', script],
        env: { TOOLS: tools, ROLE: 'pid' },
        model: 'sums',
      })});
      const flour = await createFlour();
      const runtime = createRuntime({ store: flour.store, backends: [external] });
      const { y } = await runtime.predict(runtime.register(external.program(flour).plan()), [1, 2]);
      console.log(y);
      process.kill(process.pid, 'SIGKILL');`;
    const args = ['--input-type=module', '-e', program];
    const { stdout: printed, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    const pid = Number(printed);
    expect(pid, stderr).toBeGreaterThan(0);
    await until(() => !exists(pid));
  });
});

test.runIf(hasPython).each<[Partial<ProcessOptions>, RegExp]>([
  [{ command: 'no-such-program' }, /a program in a folder of PATH/],
  [{ command: '' }, /command/],
  [{ args: 'x' as never }, /args/],
  [{ env: { A: 1 } as never }, /env/],
  [{ env: { BREZEL_SOCKET: '/x' } }, /BREZEL_SOCKET/],
  [{ replicas: 0 }, /replicas/],
  [{ urls: ['http://a'] } as never, /urls/],
  [{ comand: 'x' } as never, /command/],
  [{ command: '/no/such/program' }, /ENOENT/],
])('rejects the options %j', async (options, message) => {
  const failed = processPredictor({ command: 'python3', model: 'sums', ...options });
  await expect(failed).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});
