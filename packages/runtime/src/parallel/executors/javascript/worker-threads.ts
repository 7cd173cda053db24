import { threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import { heapLimits } from '../../workers/heap-limits.js';
import type { WorkerResult, WorkerTask } from '../../workers/protocol.js';
import type { WorkerParts } from '../../workers/worker-plan.js';
import { loadPiscina } from '../load-piscina.js';
import { type Ticket, TwoLevelQueue } from './two-level-queue.js';

/** A thread that has nothing to do for so long ends. */
const IDLE_THREAD_MS = 5000;
/**
 * Threads that were lost one after another, without an answer between: then they cannot start or
 * live here.
 */
const MOST_FAILURES = 8;
const REST_MS = 1000;

/**
 * Why a task has no result: `lost` with the thread that had it, `back` from a pool that was given
 * up, or `refused`, for it cannot be sent.
 */
export class NoResult extends Error {
  readonly why: 'lost' | 'back' | 'refused';

  constructor(cause: unknown, why: NoResult['why']) {
    super(String((cause as Error)?.message ?? cause), { cause });
    this.why = why;
  }
}

/** What threads run. */
export type WorkerModule = Pick<WorkerParts, 'worker' | 'heapBytes'>;

/** What piscina tells of a thread, by another object each time it is asked. */
interface ThreadOfPool {
  readonly destroyed: boolean;
}

const isThere = ({ destroyed }: ThreadOfPool): boolean => !destroyed;

/**
 * Worker threads that run chunks of plans in JavaScript: a piscina pool over a queue of two levels.
 * Threads start with the first task, unless they are kept.
 */
export class WorkerThreads {
  readonly #worker: URL;
  readonly #heap: ReturnType<typeof heapLimits>;
  /** Whether threads are started at once, and stay while they are idle. */
  readonly staysOpen: boolean;
  #limit: number;
  #pool: Piscina | undefined;
  #queue = new TwoLevelQueue();
  /** Threads that were ready for tasks once. */
  #started: ThreadOfPool[] = [];
  /** Pools that were given up. */
  readonly #ending = new Set<Promise<void>>();
  /** Tasks that have no result yet, those in the queue among them. */
  #unended = 0;
  #lost = 0;
  #failures = 0;
  #restsUntil = 0;
  #isClosed = false;

  /** @throws ERR_RUNTIME_OPTION */
  constructor({ worker, heapBytes }: WorkerModule, limit: number, staysOpen = false) {
    this.#worker = worker;
    this.#heap = heapLimits(heapBytes);
    this.#limit = limit;
    this.staysOpen = staysOpen;
    if (staysOpen) this.#open();
  }

  /** Threads at once. */
  get limit(): number {
    return this.#limit;
  }

  /** Another limit wants another pool: what the old one has in work is sent again. */
  set limit(limit: number) {
    if (limit === this.#limit) return;
    this.#limit = limit;
    if (!this.#isClosed && this.#pool !== undefined) this.#replace(this.#pool);
  }

  /** What waits for a thread. It is another one after `replace`. */
  get queue(): TwoLevelQueue {
    return this.#queue;
  }

  /** Tasks that threads have. */
  get running(): number {
    return this.#unended - this.#queue.size;
  }

  /** Threads that are ready for tasks. */
  get ready(): number {
    return this.#started.filter(isThere).length;
  }

  get lost(): number {
    return this.#lost;
  }

  get threads(): number {
    return this.#pool?.threads.length ?? 0;
  }

  /** Whether threads cannot live here, for a while. */
  get isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** Runs a task on a thread. @throws NoResult */
  async run(task: WorkerTask, place: Ticket): Promise<WorkerResult> {
    const pool = this.#pool ?? this.#open();
    place.isTaken = false;
    this.#unended++;
    try {
      const result: WorkerResult = await pool.run({ ...task, [loadPiscina().queueOptionsSymbol]: place });
      this.#failures = 0;
      return result;
    } catch (cause) {
      if ((cause as { name?: unknown }).name === 'DataCloneError') throw new NoResult(cause, 'refused');
      if (pool !== this.#pool) throw new NoResult(cause, 'back');
      if (!this.#isClosed) this.#failed();
      throw new NoResult(cause, 'lost');
    } finally {
      this.#unended--;
    }
  }

  /** A task that no thread has: its promise stays open for ever. @returns whether it is one. */
  takeBack(place: Ticket): boolean {
    const isBack = this.#queue.drop(place);
    if (isBack) this.#unended--;
    return isBack;
  }

  /**
   * Where tasks wait and no thread is there or starting, another pool takes over: piscina starts
   * none for tasks that wait.
   */
  replaceIfStuck(): void {
    if (this.#isClosed || this.#pool === undefined || this.#queue.size === 0 || this.threads > 0) return;
    const pool = this.#pool;
    this.#failed();
    if (this.#pool === pool) this.#replace(pool);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pool !== undefined) this.#end(this.#pool);
    await Promise.all(this.#ending);
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
      taskQueue: this.#queue,
    });
    pool.on('error', () => this.#failed()); // a thread that ended with no task
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
    this.#end(pool); // its tasks come back
  }

  #end(pool: Piscina): void {
    const end = pool.destroy().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }

  #failed(): void {
    this.#lost++;
    if (++this.#failures < MOST_FAILURES) return;
    this.#failures = 0;
    this.#restsUntil = performance.now() + REST_MS;
    if (this.staysOpen && this.#pool !== undefined) this.#replace(this.#pool); // it would start threads again and again
  }
}
