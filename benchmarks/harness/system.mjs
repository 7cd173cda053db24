import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, readSync } from 'node:fs';

// What the system reports about this process: resident memory, and time spent waiting for a core
// (Linux).

/**
 * Resident memory of this process in bytes: all pages (`rss`), shared pages divided by their users
 * (`pss`), pages without a file (`anonymous`), pages that no other process has (`own`).
 */
export function resident() {
  const rollup = readFileSync('/proc/self/smaps_rollup', 'utf8');
  const bytes = (/** @type {string} */ field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024;
  return {
    rss: bytes('Rss'),
    pss: bytes('Pss'),
    anonymous: bytes('Anonymous'),
    own: bytes('Private_Clean') + bytes('Private_Dirty'),
  };
}

/** Resident memory after garbage collection; needs node --expose-gc. */
export async function settled() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return resident();
}

const buffer = Buffer.alloc(96);
/** Scheduler statistics of the thread that opened the file; each read returns current values. */
const schedulerFile = openSchedulerFile();

function openSchedulerFile() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return undefined;
  }
}

/** Whether the system reports waiting times of threads. */
export const hasCoreWaits = schedulerFile !== undefined;

/**
 * Milliseconds that this thread was runnable without a core, since its start; 0 without support.
 * Takes some µs.
 */
export function waitedForCore() {
  if (schedulerFile === undefined) return 0;
  const length = readSync(schedulerFile, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

/**
 * Starts processes that compute without pause and hardly use memory, to make the machine busy.
 *
 * @param {number} count @returns {Promise<() => void>} stops them
 */
export async function startBusyProcesses(count) {
  const others = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const stop = () => others.forEach((other) => other.kill('SIGKILL'));
  process.once('exit', stop); // also when the experiment fails
  await Promise.all(others.map((other) => once(other, 'spawn')));
  return stop;
}
