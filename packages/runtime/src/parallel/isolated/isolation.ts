import { type Clock, type ClockTimer, threadOf } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import pLimit from 'p-limit';
import type { Piscina } from 'piscina';
import { runtimeError } from '../../errors.js';
import type { RowValues } from '../../execute/answers/answers.js';
import type { Column } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { heapLimits } from '../workers/heap-limits.js';
import type { PlanPayload, WorkerResult, WorkerTask } from '../workers/protocol.js';
import { workerFailure } from '../workers/worker-failure.js';
import { type WorkerParts, withOwnBytes, workerPlan } from '../workers/worker-plan.js';

/**
 * The parts of a runtime from which `Isolation` starts worker threads, and the largest number of
 * threads.
 */
export interface IsolationParts extends WorkerParts {
  readonly threads: number;
}

/** Statistics of the worker threads that run the custom operators of `operatorModules`. */
export interface IsolationStatistics {
  /**
   * Number of running workers. The number is 0 before the first prediction and after 30 seconds
   * without tasks.
   */
  readonly workers: number;
  /** Number of tasks that wait for a worker or run on one. */
  readonly tasks: number;
  /** Number of workers that were terminated because an operator exceeded its deadline. */
  readonly ended: number;
  /** Number of workers that ended unexpectedly. */
  readonly died: number;
}

/** The checked rows of one task. */
export interface IsolatedRows {
  readonly columns: readonly Column[];
  readonly rows: number;
  /** Index of the first row in the request, for error messages. */
  readonly first: number;
}

/**
 * A worker must start within this many milliseconds. A starting worker loads Brezel and the user's
 * modules.
 */
const START_MS = 60_000;
/** An idle worker ends after this many milliseconds. */
const IDLE_MS = 30_000;

/**
 * Runs plans with operator deadlines on worker threads, because such operators may run forever. If
 * a worker ends, the task that it was running fails, and a new worker replaces it.
 */
export class Isolation {
  readonly #parts: IsolationParts;
  readonly #heap: ReturnType<typeof heapLimits>;
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #limit: ReturnType<typeof pLimit>;
  /**
   * For each plan, a flag in shared memory that the workers read. The flag becomes 1 when the plan
   * is removed.
   */
  readonly #gone = new Map<ServedPlan, Int32Array>();
  #pool: Promise<Piscina> | undefined;
  #workers = () => 0;
  #next = 0;
  #ended = 0;
  #died = 0;
  #isClosed = false;

  constructor(parts: IsolationParts, store: ObjectStore, clock: Clock) {
    const { threads, modules } = parts;
    if (!Number.isSafeInteger(threads) || threads < 1)
      throw wrongOption('operatorThreads, an integer from 1', String(threads));
    const strange = modules.find((module) => !URL.canParse(module));
    if (strange !== undefined)
      throw wrongOption("operatorModules, URLs: new URL('../../isolation/operators.js', import.meta.url)", strange);
    this.#parts = parts;
    this.#heap = heapLimits(parts.heapBytes);
    this.#store = store;
    this.#clock = clock;
    this.#limit = pLimit(parts.threads);
  }

  /** Returns a new number, by which workers identify a plan. */
  nextPlan(): number {
    return this.#next++;
  }

  add(record: ServedPlan): void {
    this.#gone.set(record, new Int32Array(new SharedArrayBuffer(4)));
  }

  remove(record: ServedPlan): void {
    Atomics.store(this.#gone.get(record)!, 0, 1);
    this.#gone.delete(record);
  }

  /**
   * Runs some rows on a worker.
   *
   * @param stillWanted throws if the caller no longer waits or the plan was removed. It is called
   * when a worker is free, before the plan is sent to a worker, and after a worker could not load
   * the plan
   * @returns one block for each output.
   * @throws ERR_RUNTIME_STUCK, ERR_RUNTIME_WORKER, and the errors of the plan on the worker.
   */
  run(record: ServedPlan, rows: IsolatedRows, stillWanted: () => void): Promise<RowValues> {
    return this.#limit(async () => {
      stillWanted();
      const { stageClocks, name } = record;
      const sent = { ...rows, columns: rows.columns.map(withOwnBytes), isTimed: stageClocks?.takesSample() === true };
      let result = await this.#task(record, sent);
      if ('isMissing' in result) {
        stillWanted(); // throws if the plan was removed and its parameters were released
        result = await this.#task(record, sent, this.#payload(record));
      }
      if ('isMissing' in result)
        throw runtimeError('ERR_RUNTIME_WORKER', {
          expected: 'a worker that has the plan',
          received: 'a worker without the plan, although it was sent',
          at: name,
        });
      if ('cannotHave' in result) {
        stillWanted(); // throws if the plan was removed, because its parameters were released
        throw workerFailure(result.cannotHave, name);
      }
      if ('error' in result) throw workerFailure(result.error, name);
      if (result.clock !== undefined) stageClocks?.add(rows.rows, result.clock);
      return result.values;
    });
  }

  stats(): IsolationStatistics {
    const { activeCount, pendingCount } = this.#limit;
    return { workers: this.#workers(), tasks: activeCount + pendingCount, ended: this.#ended, died: this.#died };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = await this.#pool;
    await pool?.destroy();
  }

  async #task(
    record: ServedPlan,
    rows: Omit<WorkerTask, 'plan' | 'payload' | 'started'>,
    payload?: PlanPayload,
  ): Promise<WorkerResult> {
    const pool = await this.#opened();
    const { port1, port2 } = new MessageChannel();
    const clock = new TaskClock(this.#clock);
    clock.set(START_MS);
    const { number, deadlineMs } = record.isolated!;
    port1.once('message', () => clock.set(deadlineMs));
    const task: WorkerTask = { plan: number, ...rows, ...(payload && { payload }), started: port2 };
    try {
      return await pool.run(task, { transferList: [port2], signal: clock.signal });
    } catch (cause) {
      throw this.#lost(record, clock, cause);
    } finally {
      clock.stop();
      port1.close();
    }
  }

  #lost({ name, isolated }: ServedPlan, clock: TaskClock, cause: unknown): Error {
    if (this.#isClosed) return runtimeError('ERR_RUNTIME_CLOSED', { cause });
    const at = `${isolated!.operators.join(', ')}, plan ${name}`;
    if (clock.signal.aborted) {
      this.#ended++;
      return runtimeError('ERR_RUNTIME_STUCK', { received: `no answer within ${clock.milliseconds} ms`, at });
    }
    if ((cause as { name?: unknown }).name === 'DataCloneError')
      return runtimeError('ERR_RUNTIME_INPUT', {
        expected: 'values that can be sent to a worker',
        received: String((cause as Error).message),
        at: name,
      });
    this.#died++;
    return runtimeError('ERR_RUNTIME_WORKER', { received: String((cause as Error)?.message ?? cause), at, cause });
  }

  #payload(record: ServedPlan): PlanPayload {
    return workerPlan(record, { ...this.#parts, store: this.#store }, this.#gone.get(record)!);
  }

  #opened(): Promise<Piscina> {
    if (this.#isClosed) throw runtimeError('ERR_RUNTIME_CLOSED');
    this.#pool ??= this.#open();
    return this.#pool;
  }

  async #open(): Promise<Piscina> {
    // loaded when it is needed, because few runtimes use it
    const { Piscina } = await import('piscina');
    const pool = new Piscina({
      ...threadOf(this.#parts.worker.href, 'answerTask'),
      ...this.#heap,
      minThreads: 0,
      maxThreads: this.#parts.threads,
      idleTimeout: IDLE_MS,
    });
    this.#workers = () => pool.threads.length;
    return pool;
  }
}

const wrongOption = (expected: string, received: string) =>
  runtimeError('ERR_RUNTIME_OPTION', { expected, received, at: 'createRuntime' });

/** The timer that aborts a task when its deadline passes. */
class TaskClock {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #timer: ClockTimer | undefined;
  #turn: NodeJS.Immediate | undefined;

  /** The deadline in milliseconds. */
  milliseconds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  set(milliseconds: number): void {
    this.stop();
    this.milliseconds = milliseconds;
    this.#timer = this.#clock.setTimeout(() => this.#ring(), milliseconds);
  }

  stop(): void {
    this.#timer?.cancel();
    clearImmediate(this.#turn);
  }

  /**
   * Aborts the task after two more turns of the event loop. In these turns, the answer may still
   * arrive: if this thread was busy, the timer fires before a message that is already in the queue.
   */
  #ring(): void {
    this.#turn = setImmediate(() => {
      this.#turn = setImmediate(() => this.#controller.abort());
    });
  }
}
