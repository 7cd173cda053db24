import { threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import { loadPiscina } from './load-piscina.js';
import type { Lease } from './worker.mjs';

/** A thread that has nothing to do for so long ends. */
const IDLE_THREAD_MS = 5000;
const TURN_MS = 50;
const TURNS = 20;
/**
 * Starting a lease costs about as much as this much waiting is worth; a process that is done goes
 * on for so long.
 */
const LINGER_MS = 20;
/** Leases that failed one after another: then threads cannot start here. */
const MOST_FAILURES = 8;
const RETRY_MS = 1000;

export interface LeaseTarget {
  readonly addon: string;
  readonly scheduler: number;
  readonly group: number;
  /** An executor is gone: perhaps there is work for another one. */
  leaseEnded(): void;
}

/**
 * The threads of one group of executors: a piscina pool whose tasks are leases. There are leases
 * only while there is work. A thread that is lost is replaced; nothing is lost with it, since no
 * chunk belongs to a thread between two turns, and within one it is not interrupted.
 */
export class Leases {
  readonly #target: LeaseTarget;
  readonly #staysOpen: boolean;
  #limit: number;
  #pool: Piscina | undefined;
  /** Pools that were given up. */
  readonly #ending = new Set<Promise<void>>();
  #running = 0;
  #started = 0;
  #lost = 0;
  #failures = 0;
  #retryAt = 0;
  #closed = false;

  /** @param isKept whether threads are started at once, and stay while they are idle. */
  constructor(target: LeaseTarget, limit: number, staysOpen: boolean) {
    this.#target = target;
    this.#limit = limit;
    this.#staysOpen = staysOpen;
    if (staysOpen) this.#open();
  }

  /** Leases at once from now on; one too many ends within a second. */
  set limit(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Sees to it that so many leases run, as far as there may be. */
  need(wanted: number): void {
    if (this.#closed || performance.now() < this.#retryAt) return;
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

  /** Call it when the group is closed: leases end by themselves then. */
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
    pool.on('error', () => this.#lost++); // a thread that ended with no lease
    pool.on('workerDestroy', () => setImmediate(() => this.#checkPool(pool)).unref());
    this.#pool = pool;
    return pool;
  }

  /**
   * A thread that ends while it starts leaves its lease in the queue of a pool that starts no
   * others: another pool does.
   */
  #checkPool(pool: Piscina): void {
    if (this.#closed || this.#pool !== pool || pool.queueSize === 0) return;
    this.#pool = undefined;
    const end = pool.destroy().finally(() => this.#ending.delete(end)); // its leases fail
    this.#ending.add(end);
  }

  #start(): void {
    const { addon, scheduler, group } = this.#target;
    const lease: Lease = { addon, scheduler, group, turnMs: TURN_MS, turns: TURNS, lingerMs: LINGER_MS };
    this.#running++;
    this.#started++;
    void (this.#pool ?? this.#open())
      .run(lease)
      .then(
        () => {
          this.#failures = 0;
        },
        () => this.#failed(),
      )
      .finally(() => {
        this.#running--;
        if (!this.#closed) this.#target.leaseEnded();
      });
  }

  #failed(): void {
    if (this.#closed) return;
    this.#lost++;
    if (++this.#failures < MOST_FAILURES) return;
    this.#failures = 0;
    this.#retryAt = performance.now() + RETRY_MS;
  }
}
