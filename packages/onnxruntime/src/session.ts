import {
  type BackendModel,
  type BackendPort,
  type BackendRunOptions,
  type BackendTensors,
  backendError,
  checkBackendTensors,
} from '@brezel/core';
import type { Lane } from './lane.js';
import { missingPackage } from './missing-package.js';
import type { Reply, RunTask } from './tasks.js';
import { fromWire, toWire } from './wire.js';

/** What a session is opened with. */
export interface SessionFacts {
  readonly key: string;
  readonly model: BackendModel;
  /** The package that runs it. */
  readonly module: string;
  /** The provider asked for; what it cannot run, the CPU does. */
  readonly provider: string;
  readonly threads: number;
}

/** Threads that may die under one request that did not kill them. */
const MAX_REOPENED = 3;

type Opened = Reply & { readonly kind: 'opened' };

/** A model in a worker thread, opened once for all who use it, and again in the thread that comes after a death. */
export class Session {
  readonly #facts: SessionFacts;
  readonly #lane: Lane;
  readonly #name: string;
  #opened: Promise<Opened> | undefined;
  #reopening: Promise<Opened> | undefined;
  #users = 0;
  #closed: Promise<void> | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor(facts: SessionFacts, lane: Lane) {
    this.#facts = facts;
    this.#lane = lane;
    this.#name = facts.model.name ?? 'model';
    lane.enter();
  }

  get users(): number {
    return this.#users;
  }

  retain(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
  }

  /** @throws ERR_BACKEND_MODEL, ERR_BACKEND_MISSING, ERR_BACKEND_LOST. */
  open(): Promise<Opened> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<Opened> {
    const { key, model, module, provider, threads } = this.#facts;
    const providers = provider === 'cpu' ? ['cpu'] : [provider, 'cpu'];
    const source = model.bytes?.slice() ?? model.path!;
    const memory = typeof source === 'string' ? [] : [source.buffer as ArrayBuffer];
    const reply = await this.#ask({ kind: 'open', key, model: source, providers, threads, module }, memory);
    if (reply.kind === 'opened') return reply;
    throw this.#fault(reply);
  }

  async run(
    ports: readonly BackendPort[],
    inputs: BackendTensors,
    fetches: readonly string[],
    { signal }: BackendRunOptions,
  ): Promise<BackendTensors> {
    this.#checkOpen();
    signal?.throwIfAborted();
    checkBackendTensors(ports, inputs, this.#name);
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const answer = this.#answer(inputs, fetches, cancelled);
    this.#running.add(answer);
    const done = () => this.#running.delete(answer);
    answer.then(done, done);
    return signal === undefined ? answer : abortable(answer, signal, () => Atomics.store(cancelled, 0, 1));
  }

  async #answer(
    inputs: BackendTensors,
    fetches: readonly string[],
    cancelled: Int32Array<SharedArrayBuffer>,
  ): Promise<BackendTensors> {
    for (let attempt = 0; attempt < MAX_REOPENED; attempt++) {
      const wires = Object.entries(inputs).map(([name, tensor]) => [name, toWire(tensor)] as const);
      const feeds = Object.fromEntries(wires.map(([name, { wire }]) => [name, wire]));
      const { key, module } = this.#facts;
      const task: RunTask & { module: string } = { kind: 'run', key, feeds, fetches, cancelled, module };
      const reply = await this.#ask(
        task,
        wires.flatMap(([, { memory }]) => memory),
      );
      if (reply.kind === 'ran')
        return Object.fromEntries(Object.entries(reply.results).map(([name, wire]) => [name, fromWire(wire)]));
      if (reply.kind !== 'unknown') throw this.#fault(reply);
      await this.#reopen();
    }
    throw backendError('ERR_BACKEND_LOST', { received: 'no thread that lives', at: this.#name });
  }

  /** In the new thread, once for all requests that meet it. */
  #reopen(): Promise<Opened> {
    this.#reopening ??= this.#open().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #ask(task: Parameters<Lane['run']>[0], memory: readonly ArrayBuffer[]): Promise<Reply> {
    try {
      return await this.#lane.run(task, memory);
    } catch (cause) {
      if (this.#closed !== undefined) throw this.#closedError();
      throw backendError('ERR_BACKEND_LOST', { received: (cause as Error).message, at: this.#name, cause });
    }
  }

  #fault(reply: Reply): Error {
    if (reply.kind === 'cancelled') return this.#closedError();
    if (reply.kind !== 'fault') return backendError('ERR_BACKEND_LOST', { received: reply.kind, at: this.#name });
    const { where, message } = reply;
    if (where === 'package') return missingPackage(this.#facts.module, message);
    const code = where === 'model' ? 'ERR_BACKEND_MODEL' : 'ERR_BACKEND_RUN';
    return backendError(code, { received: message, at: this.#name, cause: new Error(message) });
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closedError();
  }

  #closedError = (): Error => backendError('ERR_BACKEND_CLOSED', { at: this.#name });

  /** Waits for what runs, then lets the model go. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#running, this.#opened]);
    const { key, module } = this.#facts;
    await this.#lane.run({ kind: 'close', key, module }).catch(() => undefined);
    this.#lane.leave();
  }
}

/** Settles with the signal's reason, whatever becomes of the work. */
function abortable<T>(work: Promise<T>, signal: AbortSignal, cancel: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
