import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, readSync } from 'node:fs';

// Reads what the system reports about this process: resident memory, and time spent waiting for a
// core (Linux).

/**
 * Returns the resident memory of this process in bytes. `rss` counts all pages, `pss` divides
 * shared pages by their users, `anonymous` counts pages without a file, and `own` counts pages that
 * no other process has.
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

/** Returns the resident memory after garbage collection. It needs node --expose-gc. */
export async function settled() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return resident();
}

const buffer = Buffer.alloc(96);
/** Scheduler statistics of the thread that opened this file. Each read returns current values. */
const schedulerFile = openSchedulerFile();

function openSchedulerFile() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r');
  } catch {
    return undefined;
  }
}

/** Whether the system reports how long threads wait for a core. */
export const hasCoreWaits = schedulerFile !== undefined;

/**
 * Returns the milliseconds for which this thread was runnable without a core, since the thread
 * started. Returns 0 if the system does not report them. A call takes some µs.
 */
export function waitedForCore() {
  if (schedulerFile === undefined) return 0;
  const length = readSync(schedulerFile, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

/**
 * Starts processes that compute without a pause and hardly use memory, to make the machine busy.
 *
 * @param {number} count @returns {Promise<() => void>} stops the processes
 */
export async function startBusyProcesses(count) {
  const others = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const stop = () => others.forEach((other) => other.kill('SIGKILL'));
  process.once('exit', stop); // stops the processes also if the experiment fails
  await Promise.all(others.map((other) => once(other, 'spawn')));
  return stop;
}
