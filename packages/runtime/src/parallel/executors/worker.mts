import { createRequire } from 'node:module';

/** The time for which a worker thread runs chunks for one group of executors. */
export interface Lease {
  /** The module that loads the addon. */
  readonly addon: string;
  readonly scheduler: number;
  readonly group: number;
  /** The `nice` value that is added to the thread, which lowers its priority. */
  readonly nice: number;
  /** The CPUs to which the thread is pinned. Undefined: all CPUs of the process. */
  readonly cpus: readonly number[] | undefined;
  /**
   * Each call of `executorRun` returns to JavaScript after at most this many milliseconds, because
   * a thread can be ended only while it runs JavaScript.
   */
  readonly turnMs: number;
  readonly turns: number;
  /** Milliseconds for which an idle executor waits for more work. */
  readonly lingerMs: number;
}

const TIME_IS_UP = 1;
const require = createRequire(import.meta.url);

/**
 * Runs a lease on a worker thread. Runs chunks from the native queues until they are empty, or
 * until the `turns` of the lease are over.
 */
export default function executor(lease: Lease): void {
  const loaded = require(lease.addon);
  if (loaded.addon === undefined) throw loaded.error;
  for (let turn = 0; turn < lease.turns; turn++) if (takeTurn(loaded.addon, lease) !== TIME_IS_UP) return;
}

/**
 * Runs chunks for one turn of at most `turnMs` milliseconds. This is a separate function, because
 * V8 checks whether a thread must end when a function starts, but not in a short loop.
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
