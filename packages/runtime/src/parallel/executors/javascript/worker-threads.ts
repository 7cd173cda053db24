import { type Clock, threadOf } from '@brezel/core';
import type { Piscina, TaskQueue } from 'piscina';
import { heapLimits } from '../../workers/heap-limits.js';
import type { WorkerResult, WorkerTask } from '../../workers/protocol.js';
import type { WorkerParts } from '../../workers/worker-plan.js';
import { loadPiscina } from '../load-piscina.js';
import { warnOfThreads } from '../warn-of-threads.js';
import { type Ticket, TwoLevelQueue } from './two-level-queue.js';

/** An idle thread ends after this many milliseconds. */
const IDLE_THREAD_MS = 5000;
/**
 * After this many consecutive losses of threads, no threads are started for REST_MS milliseconds.
 */
const MOST_FAILURES = 8;
const REST_MS = 1000;

/**
 * The error of a task without a result. `lost`: the thread of the task was lost. `back`: the pool
 * was replaced or could not be created. `refused`: the task cannot be copied to another thread.
 */
export class NoResult extends Error {
  readonly why: 'lost' | 'back' | 'refused';

  constructor(cause: unknown, why: NoResult['why']) {
    super(String((cause as Error)?.message ?? cause), { cause });
    this.why = why;
  }
}

/** The module that threads run, their heap limit, and the clock of the runtime. */
export type WorkerModule = Pick<WorkerParts, 'worker' | 'heapBytes'> & { readonly clock: Clock };

/**
 * The property of piscina's thread objects that this file reads.
 */
interface ThreadOfPool {
  readonly destroyed: boolean;
}

const isThere = ({ destroyed }: ThreadOfPool): boolean => !destroyed;

/**
 * Worker threads that run chunks of plans in JavaScript. The threads are a piscina pool whose queue
 * is a `TwoLevelQueue`. They start with the first task, or immediately with `staysOpen`.
 */
export class WorkerThreads {
  readonly #worker: URL;
  readonly #clock: Clock;
  readonly #heap: ReturnType<typeof heapLimits>;
  /** Whether threads start immediately and continue to run when they are idle. */
  readonly staysOpen: boolean;
  #limit: number;
  #pool: Piscina | undefined;
  #queue = new TwoLevelQueue();
  /** The threads that have started. Some of them may have ended since then. */
  #started: ThreadOfPool[] = [];
  /** One promise for each replaced pool whose threads are ending. */
  readonly #ending = new Set<Promise<void>>();
  /** Number of tasks without a result, including queued tasks. */
  #unended = 0;
  #lost = 0;
  #failures = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @throws ERR_RUNTIME_OPTION */
  constructor({ worker, heapBytes, clock }: WorkerModule, limit: number, staysOpen = false) {
    this.#worker = worker;
    this.#clock = clock;
    this.#heap = heapLimits(heapBytes);
    this.#limit = limit;
    this.staysOpen = staysOpen;
    if (staysOpen) this.#open();
  }

  /** The largest number of threads. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Sets the limit by replacing the pool, because a pool has a fixed limit. Tasks of the old pool
   * are sent again.
   */
  set limit(limit: number) {
    if (limit === this.#limit) return;
    this.#limit = limit;
    if (!this.#isClosed && this.#pool !== undefined) this.#replace(this.#pool);
  }

  /** The queue of the current pool. A new pool has a new queue. */
  get queue(): TwoLevelQueue {
    return this.#queue;
  }

  /** Number of tasks that threads are running now. */
  get running(): number {
    return this.#unended - this.#queue.size;
  }

  /** Number of threads that are ready for tasks. */
  get ready(): number {
    return this.#started.filter(isThere).length;
  }

  get lost(): number {
    return this.#lost;
  }

  get threads(): number {
    return this.#pool?.threads.length ?? 0;
  }

  /** Whether no threads may be started at the moment, because threads were lost repeatedly. */
  get isResting(): boolean {
    return this.#clock.now() < this.#restsUntil;
  }

  /**
   * Runs a task on a thread.
   * @throws NoResult
   */
  async run(task: WorkerTask, ticket: Ticket): Promise<WorkerResult> {
    const pool = this.#openedPool();
    ticket.isTaken = false;
    this.#unended++;
    try {
      const result: WorkerResult = await pool.run({ ...task, [loadPiscina().queueOptionsSymbol]: ticket });
      this.#failures = 0;
      return result;
    } catch (cause) {
      if ((cause as { name?: unknown }).name === 'DataCloneError') throw new NoResult(cause, 'refused');
      if (pool !== this.#pool) throw new NoResult(cause, 'back');
      if (!this.#isClosed) this.#failed(cause);
      throw new NoResult(cause, 'lost');
    } finally {
      this.#unended--;
    }
  }

  /**
   * Removes a task from the queue if no thread has taken it. The promise of a removed task never
   * settles.
   * @returns whether the task was removed.
   */
  takeBack(ticket: Ticket): boolean {
    const isBack = this.#queue.drop(ticket);
    if (isBack) this.#unended--;
    return isBack;
  }

  /**
   * Replaces the pool if tasks wait but the pool has no threads. This can happen when a thread is
   * lost, because piscina starts threads only for new tasks.
   */
  replaceIfStuck(): void {
    if (this.#isClosed || this.#pool === undefined || this.#queue.size === 0 || this.threads > 0) return;
    const pool = this.#pool;
    this.#failed('no thread starts');
    if (this.#pool === pool) this.#replace(pool);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pool !== undefined) this.#end(this.#pool);
    await Promise.all(this.#ending);
  }

  /**
   * Returns the pool, and creates it if necessary. After a failure, no threads are started for
   * REST_MS milliseconds.
   * @throws NoResult
   */
  #openedPool(): Piscina {
    try {
      return this.#pool ?? this.#open();
    } catch (cause) {
      this.#rest(cause);
      throw new NoResult(cause, 'back');
    }
  }

  #open(): Piscina {
    const { Piscina: Pool } = loadPiscina();
    const pool = new Pool({
      ...threadOf(this.#worker.href, 'answerTask'),
      ...this.#heap,
      minThreads: this.staysOpen ? this.#limit : 0,
      maxThreads: this.#limit,
      idleTimeout: this.staysOpen ? Infinity : IDLE_THREAD_MS,
      concurrentTasksPerWorker: 1,
      taskQueue: this.#queue as unknown as TaskQueue,
    });
    pool.on('error', (cause) => this.#failed(cause)); // a thread ended while it had no task
    pool.on('workerCreate', (thread: ThreadOfPool) => {
      if (pool === this.#pool) this.#started = [...this.#started.filter(isThere), thread];
    });
    this.#pool = pool;
    return pool;
  }

  #replace(pool: Piscina): void {
    this.#pool = undefined;
    this.#queue = new TwoLevelQueue();
    this.#started = [];
    this.#end(pool); // tasks of the pool end with `back`
  }

  #end(pool: Piscina): void {
    const end = pool.destroy().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }

  #rest(cause: unknown): void {
    warnOfThreads(cause);
    this.#failures = 0;
    this.#restsUntil = this.#clock.now() + REST_MS;
  }

  #failed(cause: unknown): void {
    this.#lost++;
    if (++this.#failures < MOST_FAILURES) return;
    this.#rest(cause);
    // Otherwise the old pool would start threads again immediately, because it replaces every lost
    // thread.
    if (this.staysOpen && this.#pool !== undefined) this.#replace(this.#pool);
  }
}
