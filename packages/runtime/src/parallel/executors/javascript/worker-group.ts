import type { JavaScriptEngines } from '../../../execute/javascript-engines.js';
import type { WorkerStatistics } from './statistics.js';
import { WorkerDispatcher } from './worker-dispatcher.js';
import { type WorkerModule, WorkerThreads } from './worker-threads.js';

/**
 * Worker threads that serve the same plans, and their dispatcher. The threads are either shared, or
 * reserved for one plan.
 */
export class WorkerGroup {
  readonly threads: WorkerThreads;
  readonly dispatcher: WorkerDispatcher;

  /** @param staysOpen whether threads start immediately and continue to run when they are idle */
  constructor(module: WorkerModule, interpreter: JavaScriptEngines, limit: number, staysOpen: boolean) {
    this.threads = new WorkerThreads(module, limit, staysOpen);
    this.dispatcher = new WorkerDispatcher(this.threads, interpreter);
  }

  stats(): WorkerStatistics {
    const { limit, threads, lost, queue } = this.threads;
    const { size, high } = queue;
    return {
      limit,
      threads,
      lost,
      open: this.dispatcher.open,
      begun: high,
      fresh: size - high,
      ...this.dispatcher.counts,
    };
  }

  /** Ends the threads. Call this method after the last plan has left the group. */
  close(): Promise<void> {
    this.dispatcher.close();
    return this.threads.close();
  }
}
