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
/** After this many consecutive losses without an answer, no threads are started for a while. */
const MOST_FAILURES = 8;
const REST_MS = 1000;

/**
 * Says why a task has no result: `lost` if its thread was lost, `back` if its pool was closed, or
 * `refused` if it cannot be sent.
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
 * The part of piscina's thread object that this file reads. Piscina returns a new object at each
 * call.
 */
interface ThreadOfPool {
  readonly destroyed: boolean;
}

const isThere = ({ destroyed }: ThreadOfPool): boolean => !destroyed;

/**
 * Worker threads that run chunks of plans in JavaScript. They are a piscina pool over a two-level
 * queue. Threads start with the first task, or immediately with `staysOpen`.
 */
export class WorkerThreads {
  readonly #worker: URL;
  readonly #clock: Clock;
  readonly #heap: ReturnType<typeof heapLimits>;
  /** Whether threads start immediately and do not end when they are idle. */
  readonly staysOpen: boolean;
  #limit: number;
  #pool: Piscina | undefined;
  #queue = new TwoLevelQueue();
  /** Threads that became ready for tasks. */
  #started: ThreadOfPool[] = [];
  /** Replaced pools that are ending. */
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

  /** The queue of the current pool. `replace` creates a new queue. */
  get queue(): TwoLevelQueue {
    return this.#queue;
  }

  /** Number of tasks that threads run. */
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

  /** Whether no threads are started at the moment, because threads were lost repeatedly. */
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
   * Removes a task that no thread has taken. The promise of the task never settles.
   * @returns whether it was removed.
   */
  takeBack(ticket: Ticket): boolean {
    const isBack = this.#queue.drop(ticket);
    if (isBack) this.#unended--;
    return isBack;
  }

  /**
   * Replaces the pool if tasks wait but no thread runs or starts. Piscina does not start a thread
   * for tasks that already wait.
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
   * Returns the pool. If it cannot be created, no threads are started for a while.
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
    // otherwise the old pool would start threads repeatedly
    if (this.staysOpen && this.#pool !== undefined) this.#replace(this.#pool);
  }
}
