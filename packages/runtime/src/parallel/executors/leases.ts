import { type Clock, threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import { loadPiscina } from './load-piscina.js';
import { warnOfThreads } from './warn-of-threads.js';
import type { Lease } from './worker.mjs';

/** An idle thread ends after this many milliseconds. */
const IDLE_THREAD_MS = 5000;
const TURN_MS = 50;
const TURNS = 20;
/**
 * An idle executor waits this many milliseconds for more work before its lease ends, because
 * starting a new lease takes about as long. A longer wait would delay the end of the process.
 */
const LINGER_MS = 20;
/** After this many consecutive failed leases, no threads are started for RETRY_MS milliseconds. */
const MOST_FAILURES = 8;
const RETRY_MS = 1000;

export interface LeaseTarget {
  readonly addon: string;
  readonly clock: Clock;
  readonly scheduler: number;
  readonly group: number;
  readonly nice: number;
  readonly cpus: readonly number[] | undefined;
  /** Called when a lease has ended. If chunks wait, the group then starts another lease. */
  leaseEnded(): void;
}

/**
 * The threads of one group of executors: a piscina pool whose tasks are leases. Leases run only
 * while chunks are queued. A lost thread loses no chunk: a thread can end only between two calls of
 * `executorRun`, and then it holds no chunk.
 */
export class Leases {
  readonly #target: LeaseTarget;
  readonly #staysOpen: boolean;
  #limit: number;
  #pool: Piscina | undefined;
  /** One promise for each replaced pool whose threads are ending. */
  readonly #ending = new Set<Promise<void>>();
  #running = 0;
  #started = 0;
  #lost = 0;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  /** @param staysOpen whether threads start immediately and continue to run when they are idle */
  constructor(target: LeaseTarget, limit: number, staysOpen: boolean) {
    this.#target = target;
    this.#limit = limit;
    this.#staysOpen = staysOpen;
    if (staysOpen) this.#open();
  }

  /**
   * Sets the maximal number of leases. If the limit decreases, surplus leases end within a second.
   */
  set limit(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Whether no threads may be started at the moment, because threads were lost repeatedly. */
  get isResting(): boolean {
    return this.#target.clock.now() < this.#retryAt;
  }

  /** Starts leases until `wanted` leases run. Never starts more leases than the limit. */
  need(wanted: number): void {
    if (this.#closed || this.isResting) return;
    while (this.#running < Math.min(wanted, this.#limit)) this.#start();
  }

  stats() {
    return {
      threads: this.#pool?.threads.length ?? 0,
      leases: this.#running,
      started: this.#started,
      lost: this.#lost,
    };
  }

  /**
   * Ends all threads and waits until they have ended. Call this method when the group is closed,
   * because leases end then.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#ending, this.#pool?.destroy()]);
  }

  #open(): Piscina {
    const { Piscina: Pool } = loadPiscina();
    const pool = new Pool({
      ...threadOf(new URL('./worker.mjs', import.meta.url).href),
      minThreads: this.#staysOpen ? this.#limit : 0,
      maxThreads: this.#limit,
      idleTimeout: this.#staysOpen ? Infinity : IDLE_THREAD_MS,
      concurrentTasksPerWorker: 1,
    });
    pool.on('error', () => this.#lost++); // a thread ended while it had no lease
    pool.on('workerDestroy', () => setImmediate(() => this.#checkPool(pool)).unref());
    this.#pool = pool;
    return pool;
  }

  /**
   * Ends a pool that is stuck, so that the next lease creates a new one. A pool is stuck if a
   * thread ends while it starts: its lease stays in the queue, and piscina does not start another
   * thread.
   */
  #checkPool(pool: Piscina): void {
    if (this.#closed || this.#pool !== pool || pool.queueSize === 0) return;
    this.#pool = undefined;
    const end = pool.destroy().finally(() => this.#ending.delete(end)); // leases of the pool fail
    this.#ending.add(end);
  }

  #start(): void {
    const { addon, scheduler, group, nice, cpus } = this.#target;
    const lease: Lease = { addon, scheduler, group, nice, cpus, turnMs: TURN_MS, turns: TURNS, lingerMs: LINGER_MS };
    this.#running++;
    this.#started++;
    void this.#run(lease)
      .then(
        () => {
          this.#failures = 0;
        },
        (cause) => this.#failed(cause),
      )
      .finally(() => {
        this.#running--;
        if (!this.#closed) this.#target.leaseEnded();
      });
  }

  /** Runs a lease. Rejects if the lease fails or if the pool cannot be created. */
  async #run(lease: Lease): Promise<void> {
    await (this.#pool ?? this.#open()).run(lease);
  }

  #failed(cause: unknown): void {
    if (this.#closed) return;
    this.#lost++;
    if (++this.#failures < MOST_FAILURES) return;
    warnOfThreads(cause);
    this.#failures = 0;
    this.#retryAt = this.#target.clock.now() + RETRY_MS;
  }
}
