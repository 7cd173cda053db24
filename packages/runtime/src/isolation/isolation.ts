import { threadOf } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import pLimit from 'p-limit';
import type { Piscina } from 'piscina';
import type { Row } from '../admission.js';
import type { Answer } from '../answers.js';
import { runtimeError } from '../errors.js';
import { heapLimits } from '../heap-limits.js';
import type { ServedPlan } from '../registered-plan.js';
import { isolatedFailure } from './isolated-failure.js';
import type { IsolatedPayload, IsolatedResult, IsolatedTask } from './protocol.js';

/** What plans with operators that have a deadline need: they run on worker threads, for only a thread can be ended. */
export interface IsolationParts {
  /** Module whose `answerTask` answers an `IsolatedTask`. */
  readonly worker: URL;
  /** Modules that define the operators, as URLs. */
  readonly modules: readonly string[];
  readonly threads: number;
  /** Most bytes of a worker's JavaScript heap. Default: Node's own. */
  readonly heapBytes?: number | undefined;
  /** As of the runtime itself. */
  readonly native: boolean;
  readonly isa: string | undefined;
}

export interface IsolationStatistics {
  /** Workers there are now: none before the first prediction, and after half a minute without one. */
  readonly workers: number;
  /** Tasks that wait for a worker, or run. */
  readonly tasks: number;
  /** Workers that were ended because an operator did not end. */
  readonly ended: number;
  /** Workers that died by themselves. */
  readonly died: number;
}

/** A worker loads Brezel and the modules of the user before its first task. */
const START_MS = 60_000;
/** Without work a worker goes after so long. */
const IDLE_MS = 30_000;

/** Worker threads for plans that may not end. A worker that is ended or dies fails one task; another one takes its place. */
export class Isolation {
  readonly #parts: IsolationParts;
  readonly #heap: ReturnType<typeof heapLimits>;
  readonly #store: ObjectStore;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #plans = new Map<number, ServedPlan>();
  #pool: Promise<Piscina> | undefined;
  #workers = () => 0;
  #next = 0;
  #ended = 0;
  #died = 0;
  #isClosed = false;

  constructor(parts: IsolationParts, store: ObjectStore) {
    const { threads, modules } = parts;
    if (!Number.isSafeInteger(threads) || threads < 1)
      throw wrongOption('operatorThreads, an integer from 1', String(threads));
    const strange = modules.find((module) => !URL.canParse(module));
    if (strange !== undefined)
      throw wrongOption("operatorModules, URLs: new URL('./operators.js', import.meta.url)", strange);
    this.#parts = parts;
    this.#heap = heapLimits(parts.heapBytes);
    this.#store = store;
    this.#limit = pLimit(parts.threads);
  }

  /** A number for a plan. */
  nextPlan(): number {
    return this.#next++;
  }

  add(record: ServedPlan): void {
    this.#plans.set(record.isolated!.number, record);
  }

  remove({ isolated }: ServedPlan): void {
    this.#plans.delete(isolated!.number);
  }

  /**
   * Answers some rows on a worker.
   *
   * @param stillWanted called when there is a worker for them; throws when nobody waits for the answers any more.
   * @throws ERR_RUNTIME_STUCK, ERR_RUNTIME_WORKER, and what the plan throws there.
   */
  run(record: ServedPlan, rows: readonly Row[], first: number, stillWanted: () => void): Promise<Answer[]> {
    return this.#limit(async () => {
      stillWanted();
      let result = await this.#task(record, rows);
      if ('isMissing' in result) result = await this.#task(record, rows, this.#payload(record));
      if ('error' in result) throw isolatedFailure(result.error, record.name, first);
      if ('answers' in result) return [...result.answers];
      throw runtimeError('ERR_RUNTIME_WORKER', { received: 'a plan that is missing', at: record.name });
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

  async #task(record: ServedPlan, rows: readonly Row[], payload?: IsolatedPayload): Promise<IsolatedResult> {
    const pool = await this.#opened();
    const { port1, port2 } = new MessageChannel();
    const clock = new Clock();
    clock.set(START_MS);
    const { deadlineMs } = record.isolated!;
    port1.once('message', () => clock.set(deadlineMs));
    const task: IsolatedTask = {
      plan: record.isolated!.number,
      alive: [...this.#plans.keys()],
      rows,
      ...(payload && { payload }),
      started: port2,
    };
    try {
      return await pool.run(task, { transferList: [port2], signal: clock.signal });
    } catch (cause) {
      throw this.#lost(record, clock, cause);
    } finally {
      clock.stop();
      port1.close();
    }
  }

  #lost({ name, isolated }: ServedPlan, clock: Clock, cause: unknown): Error {
    if (this.#isClosed) return runtimeError('ERR_RUNTIME_CLOSED', { cause });
    const at = `${isolated!.operators.join(', ')}, plan ${name}`;
    if (clock.signal.aborted) {
      this.#ended++;
      return runtimeError('ERR_RUNTIME_STUCK', { received: `no end after ${clock.milliseconds} ms`, at });
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

  #payload({ name, compiled, maxInputBytes }: ServedPlan): IsolatedPayload {
    const parameters = compiled.parameters.map((id) =>
      this.#store.info(id).dtype === 'blob' ? this.#store.bytes(id).slice() : this.#store.get(id),
    );
    const { modules, native, isa } = this.#parts;
    return { name, compiled, parameters, modules, maxInputBytes, native, isa };
  }

  #opened(): Promise<Piscina> {
    if (this.#isClosed) throw runtimeError('ERR_RUNTIME_CLOSED');
    this.#pool ??= this.#open();
    return this.#pool;
  }

  async #open(): Promise<Piscina> {
    const { Piscina } = await import('piscina'); // whoever has no such plans does not load it
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

/** Ends a task when its time is over. */
class Clock {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  /** What it was set to. */
  milliseconds = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  set(milliseconds: number): void {
    this.stop();
    this.milliseconds = milliseconds;
    this.#timer = setTimeout(() => this.#ring(), milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  /** Timers come before messages: when this thread was busy, the answer may lie there already. */
  #ring(): void {
    this.#turn = setImmediate(() => {
      this.#turn = setImmediate(() => this.#controller.abort());
    });
  }
}
