import type { Clock } from '@brezel/core';
import type { JavaScriptEngines } from '../../../execute/javascript-engines.js';
import type { ServedPlan } from '../../../plans/registered-plan.js';
import type { WorkerParts, WorkerSetting } from '../../workers/worker-plan.js';
import { obstacle, PlanOnWorkers } from './plan-on-workers.js';
import type { JavaScriptStatistics } from './statistics.js';
import { WorkerGroup } from './worker-group.js';
import type { WorkerModule } from './worker-threads.js';

/**
 * The first thread starts when batches had this many nanoseconds of estimated work since the last
 * thread ended. A thread must load all of Brezel, which is too expensive for less work.
 */
const START_NANOS = 2e8;

/**
 * The worker threads that run batches of plans that do not run completely in the addon. The first
 * thread starts after START_NANOS of work, or with the first reservation.
 */
export class JavaScriptExecutors {
  readonly #setting: WorkerSetting;
  readonly #module: WorkerModule;
  readonly #interpreter: JavaScriptEngines;
  readonly #shared: WorkerGroup;
  readonly #reserved = new Map<ServedPlan, WorkerGroup>();
  /** One promise for each group of threads that are ending. */
  readonly #ending = new Set<Promise<void>>();
  readonly #plans = new Map<ServedPlan, PlanOnWorkers>();
  #next = 0;
  /** Estimated nanoseconds of the batches that arrived while no thread was running. */
  #work = 0;

  /** @param limit the maximal number of threads, 1 or more */
  constructor(
    { worker, heapBytes, clock, ...setting }: WorkerParts & WorkerSetting & { readonly clock: Clock },
    interpreter: JavaScriptEngines,
    limit: number,
  ) {
    this.#setting = setting;
    this.#module = { worker, heapBytes, clock };
    this.#interpreter = interpreter;
    this.#shared = new WorkerGroup(this.#module, interpreter, limit, false);
  }

  /** The total number of threads that are reserved for single plans. */
  get reserved(): number {
    return [...this.#reserved.values()].reduce((sum, { threads }) => sum + threads.limit, 0);
  }

  /** Returns the reason why threads cannot run a plan, or undefined if they can. */
  obstacle(record: ServedPlan): string | undefined {
    return obstacle(record, this.#setting);
  }

  /**
   * Reserves threads for one plan and starts them. Call it before the plan runs, and only if
   * `obstacle` returns undefined for the plan.
   */
  reserve(record: ServedPlan, threads: number): void {
    this.#reserved.set(record, new WorkerGroup(this.#module, this.#interpreter, threads, true));
  }

  /** Sets the maximal number of threads without a reservation. */
  set limit(limit: number) {
    this.#shared.threads.limit = limit;
  }

  /**
   * Returns the object that runs batches of a plan on worker threads, or undefined if threads
   * cannot run it.
   */
  plan(record: ServedPlan): PlanOnWorkers | undefined {
    const { threads, dispatcher } = this.#reserved.get(record) ?? this.#shared;
    const known = this.#plans.get(record);
    if (known !== undefined) return known.staysHere || threads.isResting ? undefined : known;
    if (threads.isResting || this.obstacle(record) !== undefined) return undefined;
    const plan = new PlanOnWorkers(record, this.#next++, dispatcher, threads, this.#setting);
    this.#plans.set(record, plan);
    return plan;
  }

  /**
   * Returns the object that runs a batch with `nanoseconds` of estimated work on worker threads.
   * Returns undefined if no thread is running and the work so far is too little to start one.
   */
  planFor(record: ServedPlan, nanoseconds: number): PlanOnWorkers | undefined {
    if (this.#reserved.has(record)) return this.plan(record);
    const { threads } = this.#shared.threads;
    if (threads > 0) this.#work = 0;
    else this.#work += nanoseconds;
    return threads > 0 || this.#work >= START_NANOS ? this.plan(record) : undefined;
  }

  /** Removes a plan. The batches of the plan end with `error`, and its reserved threads end. */
  remove(record: ServedPlan, error: () => Error): void {
    this.#plans.get(record)?.end(error);
    this.#plans.delete(record);
    const group = this.#reserved.get(record);
    if (group === undefined) return;
    this.#reserved.delete(record);
    const end = group.close().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }

  stats(): JavaScriptStatistics {
    const reserved = [...this.#reserved].map(([{ name }, group]) => ({ plan: name, ...group.stats() }));
    return { ...this.#shared.stats(), reserved };
  }

  /** Ends all threads. Call this method after all plans are removed. */
  async close(): Promise<void> {
    await Promise.all([...this.#ending, this.#shared.close()]);
  }
}
