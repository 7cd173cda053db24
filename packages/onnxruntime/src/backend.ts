import { availableParallelism } from 'node:os';
import {
  type Backend,
  type BackendModel,
  type BackendOptions,
  type BackendReport,
  type BackendStage,
  type BackendTensors,
  backendError,
} from '@brezel/core';
import { type BufferStatistics, Buffers } from './buffers.js';
import { Lane } from './lane.js';
import { probe } from './probe.js';
import { providersFor } from './providers.js';
import { Replicas } from './replicas.js';
import { Session, type SessionFacts } from './session.js';
import { checkSessionChoices, type SessionChoices } from './session-options.js';

export interface OnnxruntimeOptions extends SessionChoices {
  /** Worker threads in all. A model lives in one of them, so that many models share few threads. Default: one less than cores, at most 4. */
  readonly workers?: number;
  /** Threads inside an operator, each model its own: more make one large model faster. Default 1: the worker thread itself. */
  readonly threads?: number;
  /** Worker threads that each model lives in, at most `workers`: so many of its requests run at once, and so often it is in memory. Default 1. */
  readonly replicas?: number;
  /** The package that runs models, by name. Default `onnxruntime-node`. */
  readonly module?: string;
}

const MOST_THREADS = 256;

/**
 * Runs ONNX models, or parts of them, on onnxruntime-node, which has to be installed beside Brezel. Never on the event loop: models live in worker
 * threads. Costs nothing before the first model is opened, and does not keep the process alive.
 *
 * @throws ERR_BACKEND_OPTION
 * @example const runtime = createRuntime({ store: flour.store, backends: [onnxruntimeBackend()] });
 */
export function onnxruntimeBackend(options: OnnxruntimeOptions = {}): OnnxruntimeBackend {
  const { workers = Math.max(1, Math.min(4, availableParallelism() - 1)), threads = 1, replicas = 1 } = options;
  for (const [name, value] of Object.entries({ workers, threads, replicas })) {
    if (Number.isSafeInteger(value) && value >= 1 && value <= MOST_THREADS) continue;
    throw backendError('ERR_BACKEND_OPTION', { expected: `${name} from 1 to ${MOST_THREADS}`, received: `${value}` });
  }
  if (replicas > workers)
    throw backendError('ERR_BACKEND_OPTION', {
      expected: `replicas up to ${workers}, the workers`,
      received: `${replicas}`,
    });
  checkSessionChoices(options);
  const { sessionOptions = {}, providerOptions = {}, module = 'onnxruntime-node' } = options;
  return new Onnxruntime({ workers, threads, replicas, module, sessionOptions, providerOptions });
}

/** What the backend holds beside models. */
export interface OnnxruntimeMemory {
  /** Models that are open, each once however many use it and in however many threads it lives. */
  readonly models: number;
  /** Memory that carries tensors to the threads and back, between calls; `made` stands still while shapes repeat. */
  readonly buffers: BufferStatistics;
}

export interface OnnxruntimeBackend extends Backend {
  memory(): OnnxruntimeMemory;
}

type CheckedOptions = { readonly [Name in keyof OnnxruntimeOptions]-?: NonNullable<OnnxruntimeOptions[Name]> };

class Onnxruntime implements OnnxruntimeBackend {
  readonly name = 'onnxruntime';
  readonly formats = ['onnx'] as const;
  readonly #options: CheckedOptions;
  readonly #lanes: readonly Lane[];
  readonly #models = new Map<string, Replicas>();
  readonly #buffers = new Buffers();
  #report: Promise<BackendReport> | undefined;
  #opened = 0;
  #disposed = false;

  constructor(options: CheckedOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.workers }, () => new Lane());
  }

  probe(): Promise<BackendReport> {
    this.#report ??= probe(this.#options.module);
    return this.#report;
  }

  async open(model: BackendModel, options: BackendOptions = {}): Promise<BackendStage> {
    this.#checkOpen();
    if (model.format !== 'onnx' || (model.bytes === undefined && model.path === undefined)) {
      const received = model.format === 'onnx' ? 'a model without bytes or path' : `format ${model.format}`;
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

  /** Where the fewest live. One that is opened while another of its name closes is not that one. */
  #newModel(facts: SessionFacts): Replicas {
    const lanes = [...this.#lanes].sort((a, b) => a.sessions - b.sessions).slice(0, this.#options.replicas);
    this.#opened += 1;
    const key = `${facts.key} ${this.#opened}`;
    return new Replicas(lanes.map((lane) => new Session({ ...facts, key }, lane)));
  }

  async #release(key: string, held: Replicas): Promise<void> {
    held.release();
    if (held.users > 0) return;
    if (this.#models.get(key) === held) this.#models.delete(key);
    await held.close();
  }

  memory(): OnnxruntimeMemory {
    return { models: this.#models.size, buffers: this.#buffers.stats() };
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const models = [...this.#models.values()];
    this.#models.clear();
    await Promise.all(models.map((held) => held.close()));
    await Promise.all(this.#lanes.map((lane) => lane.end()));
    this.#buffers.clear();
  }

  #checkOpen(): void {
    if (this.#disposed) throw backendError('ERR_BACKEND_CLOSED', { at: this.name });
  }
}
