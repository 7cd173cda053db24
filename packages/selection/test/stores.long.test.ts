import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installTools } from '../../../scripts/install-tools.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'brezel-stores-'));

/** Returns why a tool is missing, or undefined. */
function missing(): string | undefined {
  try {
    installTools(join(here, 'stores'));
    execFileSync('redis-server', ['--version']);
    return undefined;
  } catch (error) {
    return `skipped: stores of selections: ${(error as Error).message}`;
  }
}
const reason = missing();
if (reason !== undefined) console.log(reason);

/** Runs a process that learns. */
const member = (...args: string[]): ChildProcess =>
  spawn(join(here, 'stores/node_modules/node-22/bin/node'), [join(here, 'member.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });

/**
 * Kills processes after each has applied `count` feedbacks. Returns the lines that they printed.
 */
async function killed(members: readonly ChildProcess[], count: number): Promise<number> {
  const counts = await Promise.all(
    members.map(async (child) => {
      let applied = 0;
      for await (const line of createInterface({ input: child.stdout! })) {
        if (line === 'applied') applied++;
        if (applied === count) child.kill('SIGKILL');
      }
      return applied;
    }),
  );
  return counts.reduce((sum, one) => sum + one, 0);
}

/** Returns the number of feedbacks in the store. */
async function stored(...args: string[]): Promise<number> {
  const child = member(...args, 'read');
  for await (const line of createInterface({ input: child.stdout! })) return Number(line.split(' ')[1]);
  throw new Error('expected a line');
}

/** After kill -9, the store has each printed feedback, and at most one more per process. */
async function survives(...args: string[]): Promise<void> {
  const applied = await killed([member(...args), member(...args)], 300);
  const count = await stored(...args);
  expect(count).toBeGreaterThanOrEqual(applied);
  expect(count).toBeLessThanOrEqual(applied + 2);
}

describe.skipIf(reason !== undefined)('the state of two processes survives kill -9', () => {
  let redis: ChildProcess;
  let port: string;

  beforeAll(async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    port = `${(probe.address() as { readonly port: number }).port}`;
    await new Promise((resolve) => probe.close(resolve));
    const flags = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    redis = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: redis.stdout! })) if (line.includes('Ready to accept')) break;
    redis.stdout!.resume();
  });

  afterAll(() => redis.kill());

  it('in SQLite', () => survives('sqlite', join(folder, 'state.db')));
  it('in Redis', () => survives('redis', port));
});
