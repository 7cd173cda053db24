import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../../testing/guard.js';
import { hasAddon } from './fleets.js';

/** Processes and threads with executors end without a call of process.exit. */

const file = fileURLToPath(new URL('./process.mjs', import.meta.url));
const run = async (mode: string): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(process.execPath, [file, mode], { timeout: GUARD_MS });
  return JSON.parse(stdout);
};

describe.skipIf(!hasAddon)('a process', () => {
  test.each([
    ['exits when it is idle, though nothing was closed or waited for', 'unawaited', { right: true }],
    ['exits likewise with threads that are reserved', 'unawaited reserved', { right: true }],
    ['may exit at any time', 'exit', { threads: true }],
    ['answers rightly while its executors are terminated', 'terminate', { right: true, killed: true, lost: true }],
    ['has executors in its own threads', 'thread', { right: true }],
    ['may end its own threads while their executors work', 'terminated thread', { right: true }],
  ])('%s', async (_, mode, report) => {
    expect(await run(mode)).toEqual(report);
  });
});
