import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

// Names of files in the cache folder contain their owner, so that other processes can remove the
// files of a process that was killed:
//
//   SHA256.HOST-BOOT-NAMESPACE.PID-START.RANDOM

/**
 * A file from another machine or container is treated as unused when it has not changed for this
 * many milliseconds.
 */
const FOREIGN_MS = 30 * 24 * 3600 * 1000;
/**
 * Matches a name that `ownedName` returned, also with the ending that `writeFleetFile` adds while
 * it writes.
 */
const OWNER = /\.([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})\.(\d+)-(\d+)\.[0-9a-f-]+(?:\.[0-9a-f]{8}\.tmp)?$/;

/**
 * Returns a new file name with the given prefix. The name contains the identity of this process, so
 * that other processes can find out whether the owner of the file still runs.
 */
export function ownedName(prefix: string): string {
  const { host, boot, namespace } = machine();
  return `${prefix}.${host}-${boot}-${namespace}.${process.pid}-${startOf(process.pid)}.${crypto.randomUUID()}`;
}

/**
 * Returns whether the process that owns a file has ended. Returns false for a name without an
 * owner.
 *
 * This process cannot examine a process on another machine or in another container. A file of such
 * a process counts as used for 30 days after its last change.
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

/**
 * Returns the result of `read`, or an empty text if `read` throws because the system has no /proc.
 */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/**
 * Returns the start time of a process in ticks since boot, or 0 if the system does not report it.
 * The start time distinguishes a process from a later process with the same id.
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
