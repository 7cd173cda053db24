import {
  type BackendModel,
  type BackendPort,
  type BackendRunOptions,
  type BackendStage,
  type BackendTensor,
  type BackendTensors,
  backendError,
  checkBackendTensors,
  elementArray,
  type NumericTensor,
} from '@brezel/core';
import type { Buffers } from './buffers.js';
import type { Lane } from './lane.js';
import { missingPackage } from './missing-package.js';
import { type KnownOutput, knownOutput } from './output-shapes.js';
import type { SessionChoices } from './session-options.js';
import type { Reply, WireTensor } from './tasks.js';
import { fromWire, toWire, wireFor } from './wire.js';
import { bufferOf, memoryOf } from './wire-memory.js';

/** What a session is opened with. */
export interface SessionFacts {
  readonly key: string;
  readonly model: BackendModel;
  /** The package that runs it. */
  readonly module: string;
  /** The provider asked for; what it cannot run, the CPU does. */
  readonly provider: string;
  readonly threads: number;
  readonly choices: SessionChoices;
  /** Memory of requests, of all sessions. */
  readonly buffers: Buffers;
}

/** What of a session one stage uses. */
export type StagePorts = Pick<BackendStage, 'inputs' | 'outputs'>;

interface Request {
  readonly ports: StagePorts;
  readonly inputs: BackendTensors;
  readonly into: BackendRunOptions['into'];
  /** Not zero: nobody waits any more. */
  readonly cancelled: Int32Array;
}

/** Of requests that nobody can give up. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

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
  /** Outputs have the shapes that the file says, so far. */
  #tellsShapes = true;
  #closed: Promise<void> | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor(facts: SessionFacts, lane: Lane) {
    this.#facts = facts;
    this.#lane = lane;
    this.#name = facts.model.name ?? 'model';
    lane.enter();
  }

  /** @throws ERR_BACKEND_MODEL, ERR_BACKEND_MISSING, ERR_BACKEND_LOST. */
  open(): Promise<Opened> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<Opened> {
    const { key, model, module, provider, threads, choices } = this.#facts;
    const providers = provider === 'cpu' ? ['cpu'] : [provider, 'cpu'];
    const source = model.bytes?.slice() ?? model.path!;
    const memory = typeof source === 'string' ? [] : [source.buffer as ArrayBuffer];
    const reply = await this.#ask({ kind: 'open', key, model: source, providers, threads, module, ...choices }, memory);
    if (reply.kind === 'opened') return reply;
    throw this.#fault(reply);
  }

  /** Requests that run here or wait. */
  get load(): number {
    return this.#running.size;
  }

  async run(ports: StagePorts, inputs: BackendTensors, { signal, into }: BackendRunOptions): Promise<BackendTensors> {
    this.#checkOpen();
    signal?.throwIfAborted();
    checkBackendTensors(ports.inputs, inputs, this.#name);
    const cancelled = signal === undefined ? NEVER : new Int32Array(new SharedArrayBuffer(4));
    const answer = this.#answer({ ports, inputs, into, cancelled });
    this.#running.add(answer);
    const done = () => this.#running.delete(answer);
    answer.then(done, done);
    return signal === undefined ? answer : abortable(answer, signal, () => Atomics.store(cancelled, 0, 1));
  }

  async #answer(request: Request): Promise<BackendTensors> {
    const { ports, inputs, cancelled } = request;
    const { buffers } = this.#facts;
    for (let attempt = 0; attempt < MAX_REOPENED; attempt++) {
      const feeds = mapped(inputs, (tensor) => toWire(tensor, buffers));
      const fetches = Object.fromEntries(ports.outputs.map((port) => [port.name, this.#place(port, request)]));
      const { key, module } = this.#facts;
      const memory = memoryOf([...Object.values(feeds), ...Object.values(fetches)]);
      const reply = await this.#ask({ kind: 'run', key, feeds, fetches, cancelled, module }, memory);
      if ('returned' in reply) for (const buffer of reply.returned ?? []) buffers.give(buffer);
      if (reply.kind === 'ran') {
        if (reply.misfit) this.#tellsShapes = false;
        return mapped(reply.results, (wire, name) =>
          this.#result(wire, fetches[name]!, request.into?.[name], cancelled),
        );
      }
      if (reply.kind !== 'unknown') throw this.#fault(reply);
      await this.#reopen();
    }
    throw backendError('ERR_BACKEND_LOST', { received: 'no thread that lives', at: this.#name });
  }

  /** Where the session writes an output: memory that comes back, when the caller has a place for it; else the caller's own. */
  #place(port: BackendPort, { ports, inputs, into }: Request): WireTensor | null {
    const known = this.#tellsShapes ? knownOutput(port, ports.inputs, inputs) : undefined;
    if (known === undefined) return null;
    return wireFor(known, isFor(into?.[port.name], known) ? this.#facts.buffers : undefined);
  }

  /** In the caller's array, if it is there for this output, and he still waits. */
  #result(wire: WireTensor, place: WireTensor | null, into: NumericTensor['data'] | undefined, cancelled: Int32Array) {
    const tensor = fromWire(wire);
    const isOurs =
      place !== null && into !== undefined && wire.element !== 'string' && isFor(into, tensor as NumericTensor);
    if (!isOurs) return tensor;
    if (Atomics.load(cancelled, 0) === 0) (into as Float32Array).set(tensor.data as Float32Array);
    this.#facts.buffers.give(bufferOf(wire));
    return { ...tensor, data: into } as BackendTensor;
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

/** An array of the caller's that an output of this element type and size fits into. */
const isFor = (
  into: NumericTensor['data'] | undefined,
  { element, ...output }: KnownOutput | NumericTensor,
): into is NumericTensor['data'] =>
  into?.constructor === elementArray(element, 0).constructor &&
  into.length === ('length' in output ? output.length : output.data.length);

const mapped = <T, U>(values: Readonly<Record<string, T>>, to: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));

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
