import type { Clock } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../../errors.js';
import type { JavaScriptEngines } from '../../execute/javascript-engines.js';
import type { NativeKernels } from '../../execute/native/native-kernels.js';
import type { SegmentChunks } from '../../execute/native/segment-chunks.js';
import { checkedVectors } from '../../plans/option-ranges.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { checkedExecutors, checkedNice } from '../../plans/runtime-options.js';
import type { WorkerParts } from '../workers/worker-plan.js';
import type { PlanExecution } from './batch-target.js';
import { DISPATCH_JAVASCRIPT_NANOS, DISPATCH_NANOS } from './dispatch-thresholds.js';
import { Executors } from './executors.js';
import { JavaScriptExecutors } from './javascript/javascript-executors.js';
import { NO_WORKERS } from './javascript/statistics.js';
import { type PoolStatistics, poolStatistics } from './pool-statistics.js';
import type { SegmentOnExecutors } from './segment-on-executors.js';
import { type ExecutorStatistics, NO_EXECUTORS } from './statistics.js';
import type { VectorLimits, VectorOptions } from './vector-options.js';

/**
 * The parts of a runtime from which `executorFacade` creates executors. Native executors need
 * `native` and `addon`. JavaScript executors need `workers`.
 */
export interface ExecutorParts {
  readonly native?: NativeKernels | undefined;
  readonly addon?: string | undefined;
  readonly executors?: number | undefined;
  readonly executorNice?: number | undefined;
  readonly vectors?: VectorOptions | undefined;
  readonly store: ObjectStore;
  readonly workers?: WorkerParts | undefined;
}

/**
 * Selects the executors for plans and segments. Native executors run plans of engine `native`;
 * JavaScript executors run all other plans. A runtime may have one kind, both kinds or none.
 */
export class ExecutorFacade {
  readonly #executors: Executors | undefined;
  readonly #javascript: JavaScriptExecutors | undefined;
  readonly #limit: number;
  readonly #vectors: VectorLimits;

  constructor(
    executors: Executors | undefined,
    javascript: JavaScriptExecutors | undefined,
    limit: number,
    vectors: VectorLimits,
  ) {
    this.#limit = limit;
    this.#vectors = vectors;
    this.#executors = executors;
    this.#javascript = javascript;
  }

  /**
   * Reserves executors for a plan that is registered with the option `reserve`.
   * @throws ERR_RUNTIME_RESERVATION
   */
  reserve(record: ServedPlan): void {
    const wanted = record.scheduling.reserve?.executors;
    if (wanted === undefined) return;
    this.#checkReservation(record, wanted);
    if (record.engine !== 'native') this.#javascript!.reserve(record, wanted);
    else this.#executors!.plan(record, record.scheduling);
    this.#fitShared();
  }

  /**
   * Checks that enough executors are free for a reservation. Native and JavaScript executors share
   * one limit, because they share the machine.
   */
  #checkReservation(record: ServedPlan, wanted: number): void {
    const rejection = (expected: string, received: string) =>
      runtimeError('ERR_RUNTIME_RESERVATION', { expected, received, at: record.name });
    const executors = record.engine !== 'native' ? this.#javascript : this.#executors;
    if (executors === undefined) throw rejection('a runtime with executors', 'a runtime without executors');
    const obstacle = record.engine !== 'native' ? this.#javascript!.obstacle(record) : undefined;
    if (obstacle !== undefined) throw rejection('a plan that executors can run', obstacle);
    this.#checkCpus(record, rejection);
    const reserved = this.#reserved();
    const free = this.#limit - reserved - 1;
    if (wanted <= free) return;
    throw rejection(
      free > 0 ? `at most ${free} executors` : 'an executor that is free',
      `${wanted}, of ${this.#limit} in all, ${reserved} of them reserved; one is left for other plans`,
    );
  }

  /** Checks that the threads of a reservation can be pinned to its CPUs. */
  #checkCpus(
    { engine, scheduling: { reserve } }: ServedPlan,
    rejection: (expected: string, received: string) => Error,
  ): void {
    const cpus = reserve?.cpu;
    if (cpus === undefined) return;
    if (engine !== 'native') throw rejection('no reserve.cpu for a plan that does not run in the addon', `${cpus}`);
    const allowed = this.#executors!.allowedCpus;
    if (allowed === undefined) throw rejection('no reserve.cpu on this system: only Linux pins threads', `${cpus}`);
    if (cpus.every((cpu) => allowed.includes(cpu))) return;
    throw rejection(`reserve.cpu among the CPUs of this process: ${allowed.join(', ')}`, cpus.join(', '));
  }

  #reserved(): number {
    return (this.#executors?.reserved ?? 0) + (this.#javascript?.reserved ?? 0);
  }

  #fitShared(): void {
    const open = this.#limit - this.#reserved();
    if (this.#executors !== undefined) this.#executors.limit = open;
    if (this.#javascript !== undefined) this.#javascript.limit = open;
  }

  /**
   * Returns the executors for a batch. Returns undefined if the batch has too little work, or if no
   * executors can run the plan. A plan with reserved executors uses them for every batch.
   */
  forRows(record: ServedPlan, rows: number): PlanExecution | undefined {
    if (!this.#holdsEnoughWork(record, rows)) return undefined;
    if (record.engine === 'native') return this.#native(record);
    return this.#javascript?.planFor(record, rows * record.nanosPerRow);
  }

  #holdsEnoughWork(record: ServedPlan, rows: number): boolean {
    const isNative = record.engine === 'native';
    if ((isNative ? this.#executors : this.#javascript) === undefined) return false;
    const threshold = isNative ? DISPATCH_NANOS : DISPATCH_JAVASCRIPT_NANOS;
    return record.scheduling.reserve !== undefined || rows * record.nanosPerRow >= threshold;
  }

  /** Returns the executors that can run a plan, or undefined. */
  plan(record: ServedPlan): PlanExecution | undefined {
    return record.engine !== 'native' ? this.#javascript?.plan(record) : this.#native(record);
  }

  #native(record: ServedPlan): PlanExecution | undefined {
    return record.engine !== 'native' ? undefined : this.#executors?.plan(record, record.scheduling);
  }

  /**
   * Returns the native executors that can run a segment, or undefined if the runtime has no native
   * executors.
   */
  segment(record: ServedPlan, chunks: SegmentChunks, nanosPerRow: number): SegmentOnExecutors | undefined {
    return this.#executors?.segment(record, chunks, nanosPerRow);
  }

  /**
   * Removes a plan. The batches of the plan end with `error`. If the plan has reserved executors,
   * other plans can then use as many more.
   */
  remove(record: ServedPlan, error: () => Error): void {
    this.#executors?.remove(record, error);
    this.#javascript?.remove(record, error);
    if (record.scheduling.reserve !== undefined) this.#fitShared();
  }

  stats(): ExecutorStatistics {
    const native = this.#executors?.stats() ?? NO_EXECUTORS;
    return { ...native, javascript: this.#javascript?.stats() ?? NO_WORKERS };
  }

  /** Returns statistics of the pooled vectors of native executors. */
  pools(): PoolStatistics {
    return this.#executors?.pools() ?? poolStatistics(undefined, this.#vectors, undefined, []);
  }

  async close(): Promise<void> {
    await Promise.all([this.#executors?.close(), this.#javascript?.close()]);
  }
}

/**
 * Creates the executors of a runtime.
 * @throws ERR_RUNTIME_OPTION
 */
export function executorFacade(
  { native, addon, executors, executorNice, vectors, store, workers }: ExecutorParts,
  interpreter: JavaScriptEngines,
  clock: Clock,
): ExecutorFacade {
  const limit = checkedExecutors(executors);
  const nice = checkedNice(executorNice);
  const limits = checkedVectors(vectors);
  const isOpen = native !== undefined && addon !== undefined && limit > 0;
  return new ExecutorFacade(
    isOpen ? new Executors({ kernels: native, addon, clock, nice }, limit, limits) : undefined,
    workers !== undefined && limit > 0
      ? new JavaScriptExecutors({ ...workers, store, clock }, interpreter, limit)
      : undefined,
    limit,
    limits,
  );
}
