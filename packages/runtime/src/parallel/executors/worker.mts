import { createRequire } from 'node:module';

/** One task of an executor thread: a limited time of work for one group. */
export interface Lease {
  /** The module that loads the addon. */
  readonly addon: string;
  readonly scheduler: number;
  readonly group: number;
  /** The number of `nice` steps by which the priority of this thread is lowered. */
  readonly nice: number;
  /** The CPUs to which this thread is pinned. Undefined: all CPUs of the process. */
  readonly cpus: readonly number[] | undefined;
  /**
   * The executor returns to JavaScript at least once in this many milliseconds, because a thread
   * can only be ended in JavaScript.
   */
  readonly turnMs: number;
  readonly turns: number;
  /** Milliseconds for which an idle executor waits for more work. */
  readonly lingerMs: number;
}

const TIME_IS_UP = 1;
const require = createRequire(import.meta.url);

/**
 * Runs a lease on a worker thread. It takes chunks from the native queues until they are empty, or
 * until another lease needs the thread.
 */
export default function executor(lease: Lease): void {
  const loaded = require(lease.addon);
  if (loaded.addon === undefined) throw loaded.error;
  for (let turn = 0; turn < lease.turns; turn++) if (takeTurn(loaded.addon, lease) !== TIME_IS_UP) return;
}

/**
 * Runs one turn. It is a separate function, because V8 checks for the end of a thread when a
 * function starts, and not in a short loop.
 */
function takeTurn(
  addon: {
    executorRun(
      scheduler: number,
      group: number,
      runMs: number,
      lingerMs: number,
      nice: number,
      cpus: readonly number[] | undefined,
    ): number;
  },
  { scheduler, group, turnMs, lingerMs, nice, cpus }: Lease,
): number {
  return addon.executorRun(scheduler, group, turnMs, lingerMs, nice, cpus);
}
