import type { GroupStatistics, NativeKernels } from '../../execute/native/native-kernels.js';
import { Leases } from './leases.js';
import type { VectorLimits } from './vector-options.js';

/**
 * The longest work of the calling thread without a pause while no executor is ready, in
 * milliseconds.
 */
const HELP_MS = 0.3;
/**
 * How long the calling thread waits for an idle executor to wake, in milliseconds. A chunk on the
 * calling thread may take one millisecond.
 */
const WAKE_MS = 1;

const WATCH_MS = 20;
/** The longest wait for the start of a thread, in milliseconds. */
const START_MS = 2000;

/** The facts about a group of executors. */
export interface GroupFacts {
  readonly kernels: NativeKernels;
  readonly addon: string;
  readonly scheduler: number;
  readonly number: number;
  readonly limit: number;
  readonly vectors: VectorLimits;
  readonly isReserved: boolean;
}

/**
 * Executors that serve the same plans: the shared executors, or the executors reserved for one
 * plan.
 */
export class ExecutorGroup {
  readonly #kernels: NativeKernels;
  readonly scheduler: number;
  readonly number: number;
  readonly vectors: VectorLimits;
  readonly leases: Leases;
  #chunks = 0;
  #watch: NodeJS.Timeout | undefined;
  #isHelping = false;
  #helped = 0;
  #closed = false;

  constructor({ kernels, addon, scheduler, number, limit, vectors, isReserved }: GroupFacts) {
    this.#kernels = kernels;
    this.scheduler = scheduler;
    this.number = number;
    this.vectors = vectors;
    const target = { addon, scheduler, group: number, leaseEnded: () => this.#look() };
    this.leases = new Leases(target, limit, isReserved);
  }

  /** Counts a submitted chunk. */
  entered(): void {
    this.#chunks++;
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS).unref();
    this.#call(this.#chunks);
  }

  /** Counts a chunk that came back. */
  left(): void {
    this.#chunks--;
  }

  /** Number of slices that the calling thread ran. */
  get helped(): number {
    return this.#helped;
  }

  /** Starts all threads, and waits for them up to a limit. Returns how many are ready. */
  async start(): Promise<number> {
    const end = performance.now() + START_MS;
    const executors = () => this.#kernels.groupExecutors(this.scheduler, this.number);
    do {
      this.leases.need(this.leases.limit);
      await new Promise((resolve) => setTimeout(resolve, 1));
    } while (!this.#closed && executors() < this.leases.limit && performance.now() < end);
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
   * Runs chunks on the calling thread until an executor is ready, because threads take milliseconds
   * to start and may be lost.
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

  /** Requests executors for a number of chunks. */
  #call(chunks: number): void {
    this.leases.need(chunks);
    if (this.#isHelping || this.#hasExecutors()) return;
    if (this.leases.stats().threads > 0) this.#helpUnlessWoken();
    else this.#helpSoon();
  }

  /**
   * Checks the threads regularly while chunks are in flight, because a thread may be lost at any
   * time.
   */
  #look(): void {
    if (this.#closed) return;
    if (this.#chunks > 0) return this.#call(this.#waiting());
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}
