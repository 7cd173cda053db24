import type { Clock } from '@brezel/core';
import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { SegmentChunks } from '../../execute/native/segment-chunks.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { ChunkDispatcher } from './chunk-dispatcher.js';
import { ExecutorGroup, type GroupParts } from './group.js';
import { PlanOnExecutors } from './plan-on-executors.js';
import { type PoolStatistics, poolStatistics } from './pool-statistics.js';
import type { Scheduling } from './scheduling-options.js';
import { SegmentOnExecutors } from './segment-on-executors.js';
import { type ExecutorStatistics, executorStatistics, NO_EXECUTORS, reservedExecutors } from './statistics.js';
import type { VectorLimits } from './vector-options.js';

const SHARED_GROUP = 0;

/**
 * The parts of a runtime that native executors use: the functions of the addon, its module, the
 * clock, and the priority of the threads.
 */
export interface ExecutorTarget {
  readonly kernels: NativeKernels;
  /** The module that loads the addon in another thread. */
  readonly addon: string;
  readonly clock: Clock;
  /**
   * The number of `nice` steps by which the priority of shared executors is lowered
   * (`executorNice`).
   */
  readonly nice: number;
}

/**
 * The native executors of a runtime: worker threads that take chunks of rows from the native
 * queues. The threads start with the first batch above the dispatch threshold, or with the first
 * reservation. Only the thread that created this object may use it.
 */
export class Executors {
  readonly #target: ExecutorTarget;
  readonly #limit: number;
  readonly #vectors: VectorLimits;
  /** Number of executors that are not reserved for a plan. */
  #open: number;
  #dispatcher: ChunkDispatcher | undefined;
  #shared: ExecutorGroup | undefined;
  #isClosed = false;
  /** One promise for each group of executors whose threads are ending. */
  readonly #ending = new Set<Promise<void>>();
  readonly #plans = new Map<ServedPlan, PlanOnExecutors>();
  readonly #segments = new Map<ServedPlan, SegmentOnExecutors[]>();

  /** @param limit the maximal number of threads, 1 or more */
  constructor(target: ExecutorTarget, limit: number, vectors: VectorLimits) {
    this.#target = target;
    this.#limit = limit;
    this.#vectors = vectors;
    this.#open = limit;
  }

  /** The total number of executors that are reserved for single plans. */
  get reserved(): number {
    return reservedExecutors(this.#reserving());
  }

  /** The CPUs of the process, or undefined where threads cannot be pinned. */
  get allowedCpus(): readonly number[] | undefined {
    return this.#target.kernels.allowedCpus();
  }

  /** Sets the maximal number of executors without a reservation. */
  set limit(limit: number) {
    this.#open = limit;
    if (this.#shared !== undefined) this.#shared.leases.limit = limit;
  }

  /** Returns the object that runs batches of a plan on executors. */
  plan(record: ServedPlan, scheduling: Scheduling): PlanOnExecutors {
    const known = this.#plans.get(record);
    if (known !== undefined) return known;
    const group = scheduling.reserve === undefined ? this.#sharedGroup() : this.#reservedGroup(scheduling);
    const plan = new PlanOnExecutors(record, this.#target.kernels, this.#openDispatcher(), group, scheduling);
    this.#plans.set(record, plan);
    try {
      plan.holdVectors();
    } catch (error) {
      this.remove(record, () => error as Error);
      throw error;
    }
    return plan;
  }

  /**
   * Returns the object that runs a segment on executors. If the plan has reserved executors, they
   * also run the segment.
   */
  segment(record: ServedPlan, chunks: SegmentChunks, nanosPerRow: number): SegmentOnExecutors {
    const { scheduling } = record;
    const group = (scheduling.reserve && this.#plans.get(record)?.group) ?? this.#sharedGroup();
    const { kernels } = this.#target;
    const segment = new SegmentOnExecutors(chunks, {
      kernels,
      dispatcher: this.#openDispatcher(),
      group,
      scheduling,
      nanosPerRow,
    });
    this.#segments.set(record, [...(this.#segments.get(record) ?? []), segment]);
    return segment;
  }

  /**
   * Removes a plan. The batches of the plan end with `error`, and the threads of its reserved
   * executors end.
   */
  remove(record: ServedPlan, error: () => Error): void {
    for (const segment of this.#segments.get(record) ?? []) segment.end();
    this.#segments.delete(record);
    const plan = this.#plans.get(record);
    if (plan === undefined) return;
    this.#plans.delete(record);
    plan.end(error);
    const { group } = plan;
    if (group.number === SHARED_GROUP) return;
    this.#target.kernels.groupClose(this.#dispatcher!.scheduler, group.number);
    this.#endLater(group);
  }

  /** Returns statistics. All counts of a closed runtime are 0. */
  stats(): ExecutorStatistics {
    if (this.#isClosed) return NO_EXECUTORS;
    const counts = { limit: this.#limit, open: this.#open };
    return executorStatistics(counts, this.#dispatcher, this.#target.kernels, this.#shared, this.#reserving());
  }

  pools(): PoolStatistics {
    const isThere = !this.#isClosed;
    const shared = isThere ? this.#shared : undefined;
    return poolStatistics(this.#target.kernels, this.#vectors, shared, isThere ? this.#reserving() : []);
  }

  /** Ends all threads. Call this method after all plans are removed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#dispatcher?.close();
    await Promise.all([...this.#ending, this.#shared?.close()]);
  }

  #endLater(group: ExecutorGroup): void {
    const end = group.close().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }

  #reserving(): PlanOnExecutors[] {
    return [...this.#plans.values()].filter(({ group }) => group.number !== SHARED_GROUP);
  }

  #openDispatcher(): ChunkDispatcher {
    this.#dispatcher ??= new ChunkDispatcher(this.#target.kernels, this.#vectors);
    return this.#dispatcher;
  }

  #sharedGroup(): ExecutorGroup {
    this.#shared ??= this.#group({
      number: SHARED_GROUP,
      limit: this.#open,
      vectors: this.#vectors,
      isReserved: false,
    });
    return this.#shared;
  }

  #reservedGroup({ reserve }: Scheduling): ExecutorGroup {
    const { executors: limit, vectors = this.#vectors, cpu } = reserve!;
    const { scheduler } = this.#openDispatcher();
    const number = this.#target.kernels.groupCreate(scheduler, vectors.perClass, vectors.maxBytes);
    return this.#group({ number, limit, vectors, isReserved: true, cpus: cpu });
  }

  #group(facts: Pick<GroupParts, 'number' | 'limit' | 'vectors' | 'isReserved' | 'cpus'>): ExecutorGroup {
    const nice = facts.isReserved ? 0 : this.#target.nice;
    return new ExecutorGroup({ ...this.#target, ...facts, nice, scheduler: this.#openDispatcher().scheduler });
  }
}
