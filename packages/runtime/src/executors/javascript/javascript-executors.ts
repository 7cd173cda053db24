import type { PlanEngines } from '../../engines/plan-engines.js';
import type { PlanRecord } from '../../registered-plan.js';
import { PlanOnWorkers, runsOnWorkers, type WorkerSetting } from './plan-on-workers.js';
import type { JavaScriptStatistics } from './statistics.js';
import { WorkerDesk } from './worker-desk.js';
import { WorkerThreads } from './worker-threads.js';

/** Worker threads for batches of plans that run in JavaScript, whole or in part. */
export interface WorkerParts extends Omit<WorkerSetting, 'store'> {
  /** Module whose `answerChunk` answers a `WorkerTask`. */
  readonly worker: URL;
}

/** Starting a thread takes about so long, for it loads all of Brezel: the calling thread does as much before the first is started. */
const START_NANOS = 2e8;

/** The executors of plans that the addon does not run whole. Nothing is started before the first batch that pays. */
export class JavaScriptExecutors {
  readonly #setting: WorkerSetting;
  readonly #threads: WorkerThreads;
  readonly #desk: WorkerDesk;
  readonly #plans = new Map<PlanRecord, PlanOnWorkers>();
  #next = 0;
  /** Work that was expected of batches since there were no threads. */
  #work = 0;

  /** @param limit threads at once, 1 or more. */
  constructor({ worker, ...setting }: WorkerParts & WorkerSetting, engines: PlanEngines, limit: number) {
    this.#setting = setting;
    this.#threads = new WorkerThreads(worker, limit);
    this.#desk = new WorkerDesk(this.#threads, engines);
  }

  /** A plan as worker threads run it, where they can. */
  plan(record: PlanRecord): PlanOnWorkers | undefined {
    const known = this.#plans.get(record);
    if (known !== undefined) return known.staysHere || this.#threads.isResting ? undefined : known;
    if (this.#threads.isResting || !runsOnWorkers(record, this.#setting)) return undefined;
    const plan = new PlanOnWorkers(record, this.#next++, this.#desk, this.#threads, this.#setting);
    this.#plans.set(record, plan);
    return plan;
  }

  /** The same for a batch of so much work: only where threads are there, or have long enough been missed. */
  planFor(record: PlanRecord, nanoseconds: number): PlanOnWorkers | undefined {
    if (this.#threads.threads > 0) this.#work = 0;
    else this.#work += nanoseconds;
    return this.#threads.threads > 0 || this.#work >= START_NANOS ? this.plan(record) : undefined;
  }

  /** The plan goes: its batches end with `error`. */
  remove(record: PlanRecord, error: () => Error): void {
    this.#plans.get(record)?.end(error);
    this.#plans.delete(record);
  }

  stats(): JavaScriptStatistics {
    const { size, high } = this.#threads.queue;
    const { limit, threads, lost } = this.#threads;
    return {
      limit,
      threads,
      lost,
      open: this.#desk.open,
      begun: high,
      fresh: size - high,
      ...this.#desk.counts,
    };
  }

  /** Call it when all plans are removed. */
  async close(): Promise<void> {
    this.#desk.close();
    await this.#threads.close();
  }
}
