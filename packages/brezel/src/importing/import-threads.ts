import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, ClockTimer, OwnedPlan } from '@brezel/core';
import { type ObjectStore, ownPlanWith } from '@brezel/object-store';
import type { OvenOptions } from '@brezel/oven';
import pLimit from 'p-limit';
import { importError } from './errors.js';
import { ImportThread } from './import-thread.js';
import type { FileFacts, ImportAnswer, PlanDescription, SentImportOptions } from './protocol.js';
import { importErrors } from './sent-errors.js';
import { receivedValue } from './sent-value.js';

/** A plan from a model file that a worker thread imported, with the properties of the file. */
export type ImportedPlan = OwnedPlan & FileFacts & { readonly kind: 'row' };

/** A model file to import. */
export interface ImportRequest {
  /** The bytes of the file. Their buffer is transferred to the thread. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly options: SentImportOptions;
  readonly oven: OvenOptions;
  /** URLs of the modules that define custom operators. */
  readonly modules: readonly string[];
  /** The store that receives the parameters. */
  readonly store: ObjectStore;
  /** Ends the import. The promise is then rejected with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a thread is free for this import. */
  readonly onStart?: (() => void) | undefined;
}

export interface ImportThreadsOptions {
  /** The maximal number of threads. Each imports one model at a time. */
  readonly threads: number;
  /** The maximal JavaScript heap of a thread in bytes. If undefined, Node's limit applies. */
  readonly heapBytes?: number | undefined;
  readonly clock: Clock;
}

/** An idle thread ends after this many milliseconds. */
const IDLE_MS = 30_000;
const MIB = 2 ** 20;

/**
 * Worker threads that import and compile models. They start when a model needs them, and end when
 * they are idle. Idle threads do not prevent the process from ending.
 */
export class ImportThreads {
  readonly #options: ImportThreadsOptions;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #threads = new Set<ImportThread>();
  /** Idle threads, each with the timer that ends it. */
  readonly #idle = new Map<ImportThread, ClockTimer>();
  #isClosed = false;

  constructor(options: ImportThreadsOptions) {
    this.#options = options;
    this.#limit = pLimit(options.threads);
  }

  /** Number of threads that run now. */
  get running(): number {
    return this.#threads.size;
  }

  /**
   * Imports a model file and compiles its plan, with the same result as on the calling thread. The
   * plan also has the properties of the file.
   *
   * @throws the errors of the importer and of the compiler; ERR_IMPORT_THREAD, ERR_IMPORT_CLOSED,
   * ERR_IMPORT_OPTION, and the reason of the signal. After an error nothing is stored.
   */
  importPlan(request: ImportRequest): Promise<ImportedPlan> {
    return this.#queue(request, true) as Promise<ImportedPlan>;
  }

  /**
   * Does the same as `importPlan`, but the plan does not have the properties of the file, so the
   * calling thread does not read them.
   */
  compile(request: ImportRequest): Promise<OwnedPlan> {
    return this.#queue(request, false);
  }

  /** Ends the threads. Imports in flight fail with ERR_IMPORT_CLOSED. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) timer.cancel();
    await Promise.all(Array.from(this.#threads, (thread) => thread.end()));
  }

  #queue(request: ImportRequest, withFacts: boolean): Promise<OwnedPlan> {
    return untilAborted(
      this.#limit(() => this.#compile(request, withFacts)),
      request.signal,
    );
  }

  async #compile(request: ImportRequest, withFacts: boolean): Promise<OwnedPlan> {
    request.signal?.throwIfAborted();
    request.onStart?.();
    if (this.#idle.size === 0) await nextTurn(); // a thread starts, in a turn without other work
    const thread = this.#take();
    try {
      await nextTurn(); // starting the first thread of a process takes two milliseconds
      const answer = await this.#run(thread, request, withFacts);
      if ('error' in answer) throw importErrors.receive(answer.error);
      const plan = await this.#adopt(answer, request, thread);
      thread.release();
      await nextTurn(); // the event loop runs before the caller registers the plan
      return plan;
    } finally {
      this.#putBack(thread);
    }
  }

  /**
   * Adds the plan of an answer to the store. If the thread has ended, some parameters may be gone;
   * the error then says why the thread ended.
   */
  async #adopt(answer: Imported, { store, signal }: ImportRequest, thread: ImportThread): Promise<OwnedPlan> {
    try {
      return await adopted(answer, store);
    } catch (error) {
      throw thread.hasEnded ? this.#failure(error as Error, signal) : error;
    }
  }

  async #run(thread: ImportThread, request: ImportRequest, withFacts: boolean): Promise<ImportAnswer> {
    const { bytes, options, oven, modules, store, signal } = request;
    const isNativeMemory = store.memory.kind === 'native';
    try {
      signal?.throwIfAborted();
      const task = { bytes: wholeBuffer(bytes), options, oven, modules, isNativeMemory, withFacts };
      return await thread.run(task, signal);
    } catch (error) {
      throw this.#failure(error as Error, signal);
    }
  }

  #take(): ImportThread {
    if (this.#isClosed) throw importError('ERR_IMPORT_CLOSED');
    for (const [thread, timer] of this.#idle) {
      timer.cancel();
      this.#idle.delete(thread);
      if (!thread.hasEnded) return thread;
      this.#threads.delete(thread);
    }
    const { heapBytes } = this.#options;
    const limits = heapBytes === undefined ? {} : { maxOldGenerationSizeMb: Math.floor(heapBytes / MIB) };
    const thread = new ImportThread(limits);
    this.#threads.add(thread);
    return thread;
  }

  #putBack(thread: ImportThread): void {
    if (thread.hasEnded || this.#isClosed) {
      this.#threads.delete(thread);
      return;
    }
    const end = () => {
      this.#idle.delete(thread);
      this.#threads.delete(thread);
      void thread.end();
    };
    this.#idle.set(thread, this.#options.clock.setTimeout(end, IDLE_MS).unref());
  }

  #failure(cause: Error, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (this.#isClosed) return importError('ERR_IMPORT_CLOSED', { cause });
    const code = cause.name === 'DataCloneError' ? 'ERR_IMPORT_OPTION' : 'ERR_IMPORT_THREAD';
    return importError(code, { received: cause.message, cause });
  }
}

/**
 * Returns bytes that fill their whole buffer, because the whole buffer is transferred to the
 * thread.
 */
const wholeBuffer = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();

/**
 * Waits for an import or for a free thread, until the signal aborts. A plan that arrives later is
 * released.
 */
async function untilAborted(loading: Promise<OwnedPlan>, signal: AbortSignal | undefined): Promise<OwnedPlan> {
  if (signal === undefined) return loading;
  let abort: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    const plan = await Promise.race([loading, aborted]);
    if (plan !== undefined) return plan;
    loading.then(
      (late) => late.release(),
      () => {},
    );
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', abort!);
  }
}

type Imported = Exclude<ImportAnswer, { error: unknown }>;

/** The event loop runs each time after `adopted` has taken references to this many parameters. */
const PIECE_PARAMETERS = 256;

/**
 * Adds references to the parameters of a plan, and returns the plan as their owner. The event loop
 * runs in between.
 */
async function adopted({ description, shared }: Imported, store: ObjectStore): Promise<OwnedPlan> {
  const { plan, facts, kinds, kindOf } = await receivedValue<PlanDescription>(description);
  const taken: string[] = [];
  try {
    for (const [index, id] of plan.parameters.entries()) {
      if (index % PIECE_PARAMETERS === 0) await nextTurn();
      store.take({ id, ...kinds[kindOf[index]!]!, shared: shared[index]! });
      taken.push(id);
    }
    return ownPlanWith(plan, store.leaseAll(taken), { ...facts, kind: 'row' as const });
  } catch (error) {
    for (const id of taken) store.release(id);
    throw error;
  }
}
