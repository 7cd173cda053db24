import { createRequire } from 'node:module';

/** One stay of an executor in the addon. */
export interface Lease {
  /** Module that loads the addon. */
  readonly addon: string;
  readonly scheduler: number;
  readonly group: number;
  /** The longest time between two returns to JavaScript: a thread that is to end does so then. */
  readonly turnMs: number;
  readonly turns: number;
  /** How long it waits for more. */
  readonly lingerMs: number;
}

const TIME_IS_UP = 1;
const require = createRequire(import.meta.url);

/**
 * The task of a worker thread: takes chunks from the native queues until there are none, or it is
 * time for others.
 */
export default function executor(lease: Lease): void {
  const loaded = require(lease.addon);
  if (loaded.addon === undefined) throw loaded.error;
  for (let turn = 0; turn < lease.turns; turn++) if (takeTurn(loaded.addon, lease) !== TIME_IS_UP) return;
}

/**
 * A function of its own: V8 looks whether the thread is to end where a function begins, not in a
 * loop of few rounds.
 */
function takeTurn(
  addon: { executorRun(scheduler: number, group: number, runMs: number, lingerMs: number): number },
  { scheduler, group, turnMs, lingerMs }: Lease,
): number {
  return addon.executorRun(scheduler, group, turnMs, lingerMs);
}
