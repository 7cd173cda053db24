import type { Interpreter } from '../../../execute/interpreter.js';
import type { WorkerStatistics } from './statistics.js';
import { WorkerDesk } from './worker-dispatcher.js';
import { type WorkerModule, WorkerThreads } from './worker-threads.js';

/** Threads that serve the same plans, and the desk before them: those for all plans, or those that are reserved for one. */
export class WorkerGroup {
  readonly threads: WorkerThreads;
  readonly desk: WorkerDesk;

  /** @param isKept whether threads are started at once, and stay while they are idle. */
  constructor(module: WorkerModule, interpreter: Interpreter, limit: number, isKept: boolean) {
    this.threads = new WorkerThreads(module, limit, isKept);
    this.desk = new WorkerDesk(this.threads, interpreter);
  }

  stats(): WorkerStatistics {
    const { limit, threads, lost, queue } = this.threads;
    const { size, high } = queue;
    return { limit, threads, lost, open: this.desk.open, begun: high, fresh: size - high, ...this.desk.counts };
  }

  /** Call it when no plan uses it any more. */
  close(): Promise<void> {
    this.desk.close();
    return this.threads.close();
  }
}
