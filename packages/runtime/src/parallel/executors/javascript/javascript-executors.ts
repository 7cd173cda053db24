import type { JavaScriptEngines } from '../../../execute/javascript-engines.js';
import type { ServedPlan } from '../../../plans/registered-plan.js';
import type { WorkerParts, WorkerSetting } from '../../workers/worker-plan.js';
import { obstacle, PlanOnWorkers } from './plan-on-workers.js';
import type { JavaScriptStatistics } from './statistics.js';
import { WorkerGroup } from './worker-group.js';
import type { WorkerModule } from './worker-threads.js';

/**
 * Starting a thread takes about so long, for it loads all of Brezel: the calling thread does as
 * much before the first is started.
 */
const START_NANOS = 2e8;

/**
 * The executors of plans that the addon does not run whole. Nothing is started before the first
 * batch that pays, or the first reservation.
 */
export class JavaScriptExecutors {
  readonly #setting: WorkerSetting;
  readonly #module: WorkerModule;
  readonly #interpreter: JavaScriptEngines;
  readonly #shared: WorkerGroup;
  readonly #reserved = new Map<ServedPlan, WorkerGroup>();
  /** Groups whose threads are ending. */
  readonly #ending = new Set<Promise<void>>();
  readonly #plans = new Map<ServedPlan, PlanOnWorkers>();
  #next = 0;
  /** Work that was expected of batches since there were no threads. */
  #work = 0;

  /** @param limit threads at once, 1 or more. */
  constructor(
    { worker, heapBytes, ...setting }: WorkerParts & WorkerSetting,
    interpreter: JavaScriptEngines,
    limit: number,
  ) {
    this.#setting = setting;
    this.#module = { worker, heapBytes };
    this.#interpreter = interpreter;
    this.#shared = new WorkerGroup(this.#module, interpreter, limit, false);
  }

  /** Threads that work for one plan only. */
  get reserved(): number {
    return [...this.#reserved.values()].reduce((sum, { threads }) => sum + threads.limit, 0);
  }

  /** Why threads cannot run a plan; undefined where they can. */
  obstacle(record: ServedPlan): string | undefined {
    return obstacle(record, this.#setting);
  }

  /**
   * Threads for one plan only, which start now. Call it before the plan runs, for a plan without
   * obstacles.
   */
  reserve(record: ServedPlan, threads: number): void {
    this.#reserved.set(record, new WorkerGroup(this.#module, this.#interpreter, threads, true));
  }

  /** How many threads others may have. */
  set limit(limit: number) {
    this.#shared.threads.limit = limit;
  }

  /** A plan as worker threads run it, where they can. */
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
   * The same for a batch of so much work: only where threads are there, or have long enough been
   * missed.
   */
  planFor(record: ServedPlan, nanoseconds: number): PlanOnWorkers | undefined {
    if (this.#reserved.has(record)) return this.plan(record);
    const { threads } = this.#shared.threads;
    if (threads > 0) this.#work = 0;
    else this.#work += nanoseconds;
    return threads > 0 || this.#work >= START_NANOS ? this.plan(record) : undefined;
  }

  /** The plan goes: its batches end with `error`, its threads are everyone's again. */
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

  /** Call it when all plans are removed. */
  async close(): Promise<void> {
    await Promise.all([...this.#ending, this.#shared.close()]);
  }
}
