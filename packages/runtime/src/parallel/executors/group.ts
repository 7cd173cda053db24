import type { Clock } from '@brezel/core';
import type { GroupStatistics, NativeKernels } from '../../execute/native/native-kernels.js';
import { Leases } from './leases.js';
import type { VectorLimits } from './vector-options.js';

/**
 * While no executor is ready, the calling thread runs chunks for at most this many milliseconds at
 * a time.
 */
const HELP_MS = 0.3;
/**
 * If a thread is idle, the calling thread waits this many milliseconds before it runs chunks
 * itself. In most cases, the idle thread has then started as an executor. A chunk on the calling
 * thread may block the event loop for about 1 ms.
 */
const WAKE_MS = 1;

const WATCH_MS = 20;
/**
 * The group waits for its threads to start for at most this many milliseconds. On a busy machine, a
 * thread can need seconds to start. Threads start in real time, so the group measures its waits
 * with the clock of the process and not the clock of the runtime.
 */
const START_MS = 30_000;

/** The values from which a group of executors is created. */
export interface GroupParts {
  readonly kernels: NativeKernels;
  readonly addon: string;
  readonly clock: Clock;
  readonly scheduler: number;
  readonly number: number;
  readonly limit: number;
  readonly vectors: VectorLimits;
  readonly isReserved: boolean;
  /** The `nice` value that is added to the threads of the group, which lowers their priority. */
  readonly nice: number;
  /**
   * The CPUs on which the group's threads run. If undefined, they run on all CPUs of the process.
   */
  readonly cpus?: readonly number[] | undefined;
}

/**
 * Executors that serve the same plans: either the shared executors, or the executors reserved for
 * one plan.
 */
export class ExecutorGroup {
  readonly #kernels: NativeKernels;
  readonly scheduler: number;
  readonly number: number;
  readonly vectors: VectorLimits;
  readonly leases: Leases;
  readonly cpus: readonly number[] | undefined;
  readonly isReserved: boolean;
  #chunks = 0;
  #watch: NodeJS.Timeout | undefined;
  #isHelping = false;
  #helped = 0;
  #closed = false;

  constructor({ kernels, addon, clock, scheduler, number, limit, vectors, isReserved, nice, cpus }: GroupParts) {
    this.#kernels = kernels;
    this.scheduler = scheduler;
    this.number = number;
    this.vectors = vectors;
    this.cpus = cpus;
    this.isReserved = isReserved;
    const target = { addon, clock, scheduler, group: number, nice, cpus, leaseEnded: () => this.#look() };
    this.leases = new Leases(target, limit, isReserved);
  }

  /** Counts a chunk that was submitted, and starts executors for it if necessary. */
  entered(): void {
    this.#chunks++;
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS).unref();
    this.#call(this.#chunks);
  }

  /** Counts a finished chunk. */
  left(): void {
    this.#chunks--;
  }

  /** The number of times that the calling thread ran chunks. */
  get helped(): number {
    return this.#helped;
  }

  /**
   * Starts all threads of the group, and waits until they are ready, but at most START_MS
   * milliseconds. Stops waiting when threads were lost repeatedly. Returns the number of ready
   * threads.
   */
  async start(): Promise<number> {
    const end = performance.now() + START_MS;
    const executors = () => this.#kernels.groupExecutors(this.scheduler, this.number);
    do {
      this.leases.need(this.leases.limit);
      await new Promise((resolve) => setTimeout(resolve, 1));
    } while (!this.#closed && !this.leases.isResting && executors() < this.leases.limit && performance.now() < end);
    return this.#closed ? 0 : executors();
  }

  counters(): GroupStatistics {
    return this.#kernels.groupStats(this.scheduler, this.number);
  }

  waiting(): number {
    return this.#waiting();
  }

  close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    return this.leases.close();
  }

  #waiting(): number {
    return this.#closed ? 0 : this.#kernels.groupWaiting(this.scheduler, this.number);
  }

  #hasExecutors(): boolean {
    return this.#kernels.groupExecutors(this.scheduler, this.number) > 0;
  }

  #helpSoon(): void {
    this.#isHelping = true;
    setImmediate(() => this.#help());
  }

  #helpUnlessWoken(): void {
    this.#isHelping = true;
    setTimeout(() => this.#help(), WAKE_MS);
  }

  /**
   * Runs chunks on the calling thread until an executor is ready. This is necessary because a
   * thread needs milliseconds to start, and may be lost.
   */
  #help(): void {
    this.#isHelping = false;
    if (this.#closed || this.#chunks === 0) return;
    this.leases.need(this.#chunks);
    if (this.#hasExecutors()) return;
    this.#helped++;
    this.#kernels.executorRun(this.scheduler, this.number, HELP_MS, 0);
    this.#helpSoon();
  }

  /**
   * Starts leases so that executors can run `chunks` chunks. Until an executor is ready, the
   * calling thread helps.
   */
  #call(chunks: number): void {
    this.leases.need(chunks);
    if (this.#isHelping || this.#hasExecutors()) return;
    if (this.leases.stats().threads > 0) this.#helpUnlessWoken();
    else this.#helpSoon();
  }

  /**
   * Starts lost executors again while chunks are in flight. A timer calls this method, and so does
   * the end of each lease.
   */
  #look(): void {
    if (this.#closed) return;
    if (this.#chunks > 0) return this.#call(this.#waiting());
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}
