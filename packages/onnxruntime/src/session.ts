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
import { missingPackage } from './missing-package.js';
import { type KnownOutput, knownOutput } from './output-shapes.js';
import type { SessionChoices } from './session-options.js';
import type { Reply, WireTensor } from './tasks.js';
import { fromWire, toWire, wireFor } from './wire.js';
import { bufferOf, memoryOf } from './wire-memory.js';
import type { WorkerThread } from './worker-thread.js';

/** The data with which a session opens a model. */
export interface SessionFacts {
  readonly key: string;
  readonly model: BackendModel;
  /** Name of the npm package that runs the model. */
  readonly module: string;
  /** The requested execution provider. Operators that it does not support run on the CPU. */
  readonly provider: string;
  readonly threads: number;
  readonly choices: SessionChoices;
  /** The reusable buffers for requests. All sessions share them. */
  readonly buffers: Buffers;
}

/** The inputs and outputs of a model that one stage uses. */
export type StagePorts = Pick<BackendStage, 'inputs' | 'outputs'>;

interface Request {
  readonly ports: StagePorts;
  readonly inputs: BackendTensors;
  readonly into: BackendRunOptions['into'];
  /**
   * Contains a nonzero number if the caller has canceled the request. The worker thread shares this
   * memory.
   */
  readonly cancelled: Int32Array;
}

/** The cancel flag of requests that cannot be canceled. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/**
 * If a thread dies, requests that waited for it run in a new thread, which must open the model
 * again. A request opens the model at most this many times before it fails.
 */
const MAX_REOPENED = 3;

type Opened = Reply & { readonly kind: 'opened' };

/**
 * A model in one worker thread, which all stages with this model share. If the thread dies, the
 * model is opened again in a new thread.
 */
export class Session {
  readonly #facts: SessionFacts;
  readonly #thread: WorkerThread;
  readonly #name: string;
  #opened: Promise<Opened> | undefined;
  #reopening: Promise<Opened> | undefined;
  /**
   * Whether all outputs so far had the shapes that the file declares. Once an output had another
   * shape, the session allocates no more arrays in advance.
   */
  #tellsShapes = true;
  #closed: Promise<void> | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor(facts: SessionFacts, thread: WorkerThread) {
    this.#facts = facts;
    this.#thread = thread;
    this.#name = facts.model.name ?? 'model';
    thread.enter();
  }

  /**
   * Opens the model in the worker thread.
   *
   * @throws ERR_BACKEND_MODEL, ERR_BACKEND_MISSING, ERR_BACKEND_LOST.
   */
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
    throw this.#errorOf(reply);
  }

  /** Returns the number of requests of this session that run or wait. */
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
      const fetches = Object.fromEntries(ports.outputs.map((port) => [port.name, this.#arrayFor(port, request)]));
      const { key, module } = this.#facts;
      const memory = memoryOf([...Object.values(feeds), ...Object.values(fetches)]);
      const reply = await this.#ask({ kind: 'run', key, feeds, fetches, cancelled, module }, memory);
      if ('returned' in reply) for (const buffer of reply.returned ?? []) buffers.give(buffer);
      if (reply.kind === 'ran') {
        if (reply.wrongShapes) this.#tellsShapes = false;
        return mapped(reply.results, (wire, name) =>
          this.#result(wire, fetches[name]!, request.into?.[name], cancelled),
        );
      }
      if (reply.kind !== 'unknown') throw this.#errorOf(reply);
      await this.#reopen();
    }
    throw backendError('ERR_BACKEND_LOST', { received: 'the worker thread died repeatedly', at: this.#name });
  }

  /**
   * Returns the array into which onnxruntime writes an output, or null if the size is unknown. If
   * the caller passed an array for the output, the result is a reusable buffer, which `#result`
   * copies. Otherwise it is a new array, which the caller receives.
   */
  #arrayFor(port: BackendPort, { ports, inputs, into }: Request): WireTensor | null {
    const known = this.#tellsShapes ? knownOutput(port, ports.inputs, inputs) : undefined;
    if (known === undefined) return null;
    return wireFor(known, isFor(into?.[port.name], known) ? this.#facts.buffers : undefined);
  }

  /**
   * Returns an output of an answer. If the caller passed an array for the output, copies the output
   * into this array, unless the request is canceled.
   */
  #result(wire: WireTensor, target: WireTensor | null, into: NumericTensor['data'] | undefined, cancelled: Int32Array) {
    const tensor = fromWire(wire);
    const isOurs =
      target !== null && into !== undefined && wire.element !== 'string' && isFor(into, tensor as NumericTensor);
    if (!isOurs) return tensor;
    if (Atomics.load(cancelled, 0) === 0) (into as Float32Array).set(tensor.data as Float32Array);
    this.#facts.buffers.give(bufferOf(wire));
    return { ...tensor, data: into } as BackendTensor;
  }

  /** Opens the model in the new thread, once for all requests that wait for it. */
  #reopen(): Promise<Opened> {
    this.#reopening ??= this.#open().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #ask(task: Parameters<WorkerThread['run']>[0], memory: readonly ArrayBuffer[]): Promise<Reply> {
    try {
      return await this.#thread.run(task, memory);
    } catch (cause) {
      if (this.#closed !== undefined) throw this.#closedError();
      throw backendError('ERR_BACKEND_LOST', { received: (cause as Error).message, at: this.#name, cause });
    }
  }

  #errorOf(reply: Reply): Error {
    if (reply.kind === 'cancelled') return this.#closedError();
    if (reply.kind !== 'failed') return backendError('ERR_BACKEND_LOST', { received: reply.kind, at: this.#name });
    const { where, message } = reply;
    if (where === 'package') return missingPackage(this.#facts.module, message);
    const code = where === 'model' ? 'ERR_BACKEND_MODEL' : 'ERR_BACKEND_RUN';
    return backendError(code, { received: message, at: this.#name, cause: new Error(message), ...hintFor(message) });
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closedError();
  }

  #closedError = (): Error => backendError('ERR_BACKEND_CLOSED', { at: this.#name });

  /** Waits for running requests, then frees the model. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#running, this.#opened]);
    const { key, module } = this.#facts;
    await this.#thread.run({ kind: 'close', key, module }).catch(() => undefined);
    this.#thread.leave();
  }
}

/** Returns whether the caller's array has the element type and size of an output. */
const isFor = (
  into: NumericTensor['data'] | undefined,
  { element, ...output }: KnownOutput | NumericTensor,
): into is NumericTensor['data'] =>
  into?.constructor === elementArray(element, 0).constructor &&
  into.length === ('length' in output ? output.length : output.data.length);

const mapped = <T, U>(values: Readonly<Record<string, T>>, to: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));

/** Rejects with the signal's reason when the signal aborts, without waiting for the work. */
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

/** Returns a hint if the message of onnxruntime names an operator of a custom domain. */
function hintFor(message: string): { readonly hint?: string } {
  const [, domain, name] = /([\w.-]+):(\w+)\(-?\d+\) is not a registered function/.exec(message) ?? [];
  if (domain === undefined) return {};
  const call = `defineOperator({ name: "${domain}/${name}", ... })`;
  return { hint: `onnxruntime does not have the operator ${domain}.${name}: before the import, call ${call}` };
}
