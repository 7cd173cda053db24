import { availableParallelism } from 'node:os';
import {
  type Backend,
  type BackendModel,
  type BackendOptions,
  type BackendReport,
  type BackendStage,
  type BackendTensors,
  backendError,
  checkOptionNames,
  type ErrorDetails,
  optionNames,
} from '@brezel/core';
import { type BufferStatistics, Buffers } from './buffers.js';
import { probe } from './probe.js';
import { providersFor } from './providers.js';
import { Replicas } from './replicas.js';
import { Session, type SessionFacts } from './session.js';
import { checkSessionChoices, type SessionChoices } from './session-options.js';
import { WorkerThread } from './worker-thread.js';

/** Options of `onnxruntimeBackend`. */
export interface OnnxruntimeOptions extends SessionChoices {
  /**
   * Total number of worker threads. A model runs in one worker thread, so many models share few
   * threads. Default: number of cores minus one, at most 4.
   */
  readonly workers?: number;
  /**
   * Number of threads that one operator of a model uses. With more threads, a single large model
   * runs faster. Default 1: only the worker thread.
   */
  readonly threads?: number;
  /**
   * Number of worker threads that load a copy of each model, at most `workers`. A model can run
   * this many requests in parallel. Default 1.
   */
  readonly replicas?: number;
  /** Name of the npm package that runs models. Default `onnxruntime-node`. */
  readonly module?: string;
}

const optionsOfBackend = optionNames<OnnxruntimeOptions>({
  workers: true,
  threads: true,
  replicas: true,
  module: true,
  sessionOptions: true,
  providerOptions: true,
});

const MOST_THREADS = 256;

/**
 * Creates a backend that runs ONNX models, or parts of them, with onnxruntime-node. Install
 * onnxruntime-node in addition to Brezel.
 *
 * Models run in worker threads, never on the event loop. The backend starts no thread before the
 * first model is opened, and does not prevent the process from exiting.
 *
 * @throws ERR_BACKEND_OPTION for an unknown option, for an option out of range, and for a session
 * option that Brezel sets.
 * @example const runtime = createRuntime({ store: flour.store, backends: [onnxruntimeBackend()] });
 */
export function onnxruntimeBackend(options: OnnxruntimeOptions = {}): OnnxruntimeBackend {
  const fail = (details: ErrorDetails) => backendError('ERR_BACKEND_OPTION', details);
  checkOptionNames(options, optionsOfBackend, fail, 'onnxruntimeBackend');
  const { workers = Math.max(1, Math.min(4, availableParallelism() - 1)), threads = 1, replicas = 1 } = options;
  for (const [name, value] of Object.entries({ workers, threads, replicas })) {
    if (Number.isSafeInteger(value) && value >= 1 && value <= MOST_THREADS) continue;
    throw backendError('ERR_BACKEND_OPTION', { expected: `${name} from 1 to ${MOST_THREADS}`, received: `${value}` });
  }
  if (replicas > workers)
    throw backendError('ERR_BACKEND_OPTION', {
      expected: `replicas up to ${workers} (the number of workers)`,
      received: `${replicas}`,
    });
  checkSessionChoices(options);
  const { sessionOptions = {}, providerOptions = {}, module = 'onnxruntime-node' } = options;
  return new Onnxruntime({ workers, threads, replicas, module, sessionOptions, providerOptions });
}

/** The number of open models, and the memory that the backend uses for tensors. */
export interface OnnxruntimeMemory {
  /**
   * Number of open models. A model counts once, even if several stages share it or several threads
   * load it.
   */
  readonly models: number;
  /**
   * The buffers in which tensors are sent between threads. The backend reuses them, so the number
   * of allocations (`made`) does not increase while requests have the same shapes.
   */
  readonly buffers: BufferStatistics;
}

/** A backend that runs ONNX models with onnxruntime-node. */
export interface OnnxruntimeBackend extends Backend {
  /** Returns the number of open models and the memory of the tensor buffers. */
  memory(): OnnxruntimeMemory;
}

type CheckedOptions = { readonly [Name in keyof OnnxruntimeOptions]-?: NonNullable<OnnxruntimeOptions[Name]> };

class Onnxruntime implements OnnxruntimeBackend {
  readonly name = 'onnxruntime';
  readonly formats = ['onnx'] as const;
  readonly #options: CheckedOptions;
  readonly #threads: readonly WorkerThread[];
  readonly #models = new Map<string, Replicas>();
  /** The models without users that are still open in a thread. */
  readonly #closing = new Set<Replicas>();
  readonly #buffers = new Buffers();
  #report: Promise<BackendReport> | undefined;
  #opened = 0;
  #disposed = false;

  constructor(options: CheckedOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.workers }, () => new WorkerThread());
  }

  probe(): Promise<BackendReport> {
    this.#report ??= probe(this.#options.module);
    return this.#report;
  }

  async open(model: BackendModel, options: BackendOptions = {}): Promise<BackendStage> {
    this.#checkOpen();
    if (model.format !== 'onnx' || (model.bytes === undefined && model.path === undefined)) {
      const received = model.format === 'onnx' ? 'neither bytes nor path' : `format ${model.format}`;
      throw backendError('ERR_BACKEND_MODEL', { expected: 'bytes or path of an ONNX file', received });
    }
    const providers = await providersFor(options, () => this.probe());
    let last: unknown;
    for (const provider of providers) {
      try {
        return await this.#openOn(provider, model);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  async #openOn(provider: string, model: BackendModel): Promise<BackendStage> {
    this.#checkOpen();
    const { module, threads, sessionOptions, providerOptions } = this.#options;
    const choices = { sessionOptions, providerOptions };
    const buffers = this.#buffers;
    const key = `${provider} ${model.checksum}`;
    const known = this.#models.get(key);
    const held = known ?? this.#newModel({ key, model, module, provider, threads, choices, buffers });
    this.#models.set(key, held);
    held.retain();
    try {
      const { inputs, outputs } = await held.open();
      const wanted = model.outputs ?? outputs.map(({ name }) => name);
      const unknown = wanted.find((name) => !outputs.some((port) => port.name === name));
      if (unknown !== undefined)
        throw backendError('ERR_BACKEND_MODEL', { received: `no output "${unknown}"`, at: model.name ?? 'model' });
      return this.#stage(held, key, provider, model, { inputs, outputs, wanted });
    } catch (error) {
      await this.#release(key, held);
      throw error;
    }
  }

  #stage(
    held: Replicas,
    key: string,
    provider: string,
    model: BackendModel,
    { inputs, outputs, wanted }: Pick<BackendStage, 'inputs' | 'outputs'> & { readonly wanted: readonly string[] },
  ): BackendStage {
    const ports = {
      inputs: inputs.filter(({ name }) => model.inputs?.includes(name) ?? true),
      outputs: wanted.map((name) => outputs.find((port) => port.name === name)!),
    };
    let disposed: Promise<void> | undefined;
    return {
      ...ports,
      provider,
      device: provider === 'cpu' ? 'cpu' : 'gpu',
      bytes: model.bytes?.byteLength ?? 0,
      run: async (tensors: BackendTensors, options = {}) => {
        if (disposed !== undefined) throw backendError('ERR_BACKEND_CLOSED', { at: model.name ?? 'model' });
        return held.run(ports, tensors, options);
      },
      dispose: () => {
        disposed ??= this.#release(key, held);
        return disposed;
      },
    };
  }

  /**
   * Creates a model for the threads with the fewest models. The model has a new key, so that a
   * thread never confuses it with an equal model that is being closed.
   */
  #newModel(facts: SessionFacts): Replicas {
    const threads = [...this.#threads].sort((a, b) => a.sessions - b.sessions).slice(0, this.#options.replicas);
    this.#opened += 1;
    const key = `${facts.key} ${this.#opened}`;
    return new Replicas(threads.map((thread) => new Session({ ...facts, key }, thread)));
  }

  async #release(key: string, held: Replicas): Promise<void> {
    held.release();
    if (held.users > 0) return;
    if (this.#models.get(key) === held) this.#models.delete(key);
    this.#closing.add(held);
    await held.close();
    this.#closing.delete(held);
  }

  memory(): OnnxruntimeMemory {
    return { models: this.#models.size, buffers: this.#buffers.stats() };
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const models = [...this.#models.values(), ...this.#closing];
    this.#models.clear();
    await Promise.all(models.map((held) => held.close()));
    await Promise.all(this.#threads.map((thread) => thread.end()));
    this.#buffers.clear();
  }

  #checkOpen(): void {
    if (this.#disposed) throw backendError('ERR_BACKEND_CLOSED', { at: this.name });
  }
}
