import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

// Names of files in the cache folder contain their owner, so that other processes can remove the
// files of a process that was killed:
//
//   SHA256.HOST-BOOT-NAMESPACE.PID-START.RANDOM

/**
 * If this machine cannot examine the owner of a file, the file is removed after this many
 * milliseconds.
 */
const FOREIGN_MS = 30 * 24 * 3600 * 1000;
const OWNER = /\.([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})\.(\d+)-(\d+)\.[0-9a-f-]+$/;

/** Returns a new name for a file of this process. */
export function ownedName(prefix: string): string {
  const { host, boot, namespace } = machine();
  return `${prefix}.${host}-${boot}-${namespace}.${process.pid}-${startOf(process.pid)}.${crypto.randomUUID()}`;
}

/**
 * Returns whether the process that owns a file has ended. Returns false for a name without an
 * owner.
 *
 * A process on another machine or in another container cannot be examined. Its files are treated as
 * used for 30 days.
 */
export function isAbandoned(name: string, changedMs: number, nowMs: number): boolean {
  const match = OWNER.exec(name);
  if (match === null) return false;
  const [, host, boot, namespace, pid, start] = match;
  const here = machine();
  if (host === here.host && boot !== here.boot) return true; // the machine was restarted since then
  if (host !== here.host || namespace !== here.namespace) return nowMs - changedMs > FOREIGN_MS;
  return !isRunning(Number(pid), start!);
}

interface Machine {
  readonly host: string;
  readonly boot: string;
  readonly namespace: string;
}

let known: Machine | undefined;

function machine(): Machine {
  known ??= {
    host: short(hostname()),
    boot: short(attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))),
    namespace: short(attempt(() => readlinkSync('/proc/self/ns/pid'))),
  };
  return known;
}

const short = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Reads a text, or returns an empty text on systems without /proc. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/**
 * Returns the start time of a process in ticks since boot, or 0 if the system does not report it. A
 * later process with the same number has another start time.
 */
function startOf(pid: number): string {
  const status = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // the second field, the program's name in parentheses, may contain spaces
  return status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
}

function isRunning(pid: number, start: string): boolean {
  const now = startOf(pid);
  if (start !== '0' && now !== '0') return start === now;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
