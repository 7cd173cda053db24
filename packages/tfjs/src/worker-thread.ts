import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { backendError, type Clock, threadOf } from '@brezel/core';
import type { Piscina } from 'piscina';
import type { Reply, TaskKind, Tasks } from './messages.js';

const require = createRequire(import.meta.url);

/**
 * A worker without models ends after this many milliseconds. It does not end immediately, because
 * loading the library takes about 0.5 s.
 */
const LINGER_MS = 2000;

/** The time limit of one run in milliseconds, and the clock that measures it. */
export interface RunLimit {
  readonly maxRunMs: number | undefined;
  readonly clock: Clock;
}

/**
 * A worker thread with one TensorFlow library and a queue.
 *
 * The worker runs tasks in order, one at a time, because TensorFlow has one engine in each thread.
 * (The native packages use further threads inside an operator.) If the worker dies, its current
 * request fails and piscina starts another worker.
 */
export class WorkerThread {
  readonly #limit: RunLimit;
  #pool: Piscina | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /**
   * The ids of the models that the current worker has opened. If the worker dies, a request first
   * opens its model in the new worker; this time does not count toward `maxRunMs`.
   */
  readonly #opened = new Set<number>();
  #lingering: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limit: RunLimit) {
    this.#limit = limit;
  }

  /**
   * Returns whether the worker thread exists. The first task starts it, and it ends some time after
   * its last model is closed.
   */
  get isRunning(): boolean {
    return this.#pool !== undefined;
  }

  /**
   * Sends a task to the worker and returns its answer.
   *
   * @throws ERR_BACKEND_LOST, ERR_BACKEND_CLOSED, the signal's reason, and the failure that the
   * task returns.
   */
  async post<K extends TaskKind>(kind: K, task: Tasks[K]['in'], signal?: AbortSignal): Promise<Tasks[K]['out']> {
    const turn = this.#last.then(() => this.#run(kind, task, signal));
    this.#last = turn.catch(() => undefined);
    return signal === undefined ? turn : unlessAborted(turn, signal);
  }

  /** Ends the worker, even during a task that never ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#lingering);
    await this.#pool?.destroy();
    await this.#last;
  }

  async #run<K extends TaskKind>(kind: K, task: Tasks[K]['in'], signal?: AbortSignal): Promise<Tasks[K]['out']> {
    signal?.throwIfAborted();
    clearTimeout(this.#lingering);
    try {
      return await this.#done(kind, task);
    } finally {
      if (this.#opened.size === 0 && !this.#isClosed) this.#linger();
    }
  }

  async #done<K extends TaskKind>(kind: K, task: Tasks[K]['in']): Promise<Tasks[K]['out']> {
    if (kind === 'run') await this.#reopen(task as Tasks['run']['in']);
    const answer = await this.#answered(kind, task);
    if (kind === 'open') this.#opened.add((task as Tasks['open']['in']).model.id);
    if (kind === 'close') this.#opened.delete((task as Tasks['close']['in']).id);
    return answer;
  }

  /** Opens a model in the current worker, after the worker that had opened it died. */
  async #reopen({ library, model }: Tasks['run']['in']): Promise<void> {
    if (this.#opened.has(model.id)) return;
    await this.#answered('open', { library, model });
    this.#opened.add(model.id);
  }

  async #answered<K extends TaskKind>(kind: K, task: Tasks[K]['in']): Promise<Tasks[K]['out']> {
    if (this.#isClosed) throw backendError('ERR_BACKEND_CLOSED');
    const reply = await this.#posted(kind, task);
    if ('value' in reply) return reply.value;
    throw backendError(reply.failure.code, reply.failure.details);
  }

  async #posted<K extends TaskKind>(kind: K, task: Tasks[K]['in']): Promise<Reply<Tasks[K]['out']>> {
    const { maxRunMs, clock } = this.#limit;
    const late = new AbortController();
    const timer =
      kind === 'run' && maxRunMs !== undefined ? clock.setTimeout(() => late.abort(), maxRunMs).unref() : undefined;
    try {
      return await this.#started().run({ kind, task }, { transferList: buffersOf(task), signal: late.signal });
    } catch (cause) {
      this.#opened.clear();
      if (this.#isClosed) throw backendError('ERR_BACKEND_CLOSED', { cause });
      if (late.signal.aborted) throw tooLong(maxRunMs!, cause);
      throw backendError('ERR_BACKEND_LOST', { received: messageOf(cause), cause });
    } finally {
      timer?.cancel();
    }
  }

  /**
   * Ends the worker after `LINGER_MS`, unless a task arrives before. The end waits in the queue of
   * tasks, so that it never interrupts a task.
   */
  #linger(): void {
    this.#lingering = setTimeout(() => {
      const pool = this.#pool;
      this.#pool = undefined;
      this.#last = this.#last.then(() => pool?.destroy());
    }, LINGER_MS).unref();
  }

  #started(): Piscina {
    if (this.#pool === undefined) {
      // loaded here, so that processes without a model do not load it
      const { Piscina: Pool } = require('piscina') as typeof import('piscina');
      // resolved by package name, so that a bundle of the library also finds the file
      const worker = pathToFileURL(require.resolve('@brezel/tfjs/worker'));
      this.#pool = new Pool({ ...threadOf(worker.href), minThreads: 1, maxThreads: 1, atomics: 'disabled' });
      // The death of an idle worker affects no request. Without a listener, the event would end the
      // process.
      this.#pool.on('error', () => this.#opened.clear());
    }
    return this.#pool;
  }
}

const tooLong = (maxRunMs: number, cause: unknown) =>
  backendError('ERR_BACKEND_LOST', {
    received: `no answer within ${maxRunMs} ms`,
    hint: 'retry the request: a new worker starts; increase maxRunMs if the model needs more time',
    cause,
  });

/**
 * Returns the answer, or rejects with the signal's reason when the signal aborts. A running task
 * continues, and the worker runs the next task only after it, but the caller does not get its
 * answer.
 */
function unlessAborted<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Returns the buffers of a request, which the message transfers to the worker. These buffers are
 * copies of the caller's data.
 */
function buffersOf(task: object): ArrayBuffer[] {
  const inputs = (task as Partial<Tasks['run']['in']>).inputs ?? [];
  return inputs.flatMap(({ tensor }) => (tensor.element === 'string' ? [] : [tensor.data.buffer as ArrayBuffer]));
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
