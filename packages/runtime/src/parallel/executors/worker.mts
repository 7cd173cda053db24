import { createRequire } from 'node:module';

/** One task of an executor in the addon. */
export interface Lease {
  /** Module that loads the addon. */
  readonly addon: string;
  readonly scheduler: number;
  readonly group: number;
  /** The longest time between two returns to JavaScript, where a thread can be ended. */
  readonly turnMs: number;
  readonly turns: number;
  /** How long the executor waits for more work. */
  readonly lingerMs: number;
}

const TIME_IS_UP = 1;
const require = createRequire(import.meta.url);

/**
 * The task of a worker thread: takes chunks from the native queues until they are empty, or until
 * another lease needs the thread.
 */
export default function executor(lease: Lease): void {
  const loaded = require(lease.addon);
  if (loaded.addon === undefined) throw loaded.error;
  for (let turn = 0; turn < lease.turns; turn++) if (takeTurn(loaded.addon, lease) !== TIME_IS_UP) return;
}

/**
 * A separate function, because V8 checks for the end of a thread at function entry, and not in a
 * short loop.
 */
function takeTurn(
  addon: { executorRun(scheduler: number, group: number, runMs: number, lingerMs: number): number },
  { scheduler, group, turnMs, lingerMs }: Lease,
): number {
  return addon.executorRun(scheduler, group, turnMs, lingerMs);
}
