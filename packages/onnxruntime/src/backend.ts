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
import { Lane } from './lane.js';
import { probe } from './probe.js';
import { providersFor } from './providers.js';
import { Session, type SessionFacts } from './session.js';

export interface OnnxruntimeOptions {
  /** Worker threads in all. A model lives in one of them, so that many models share few threads. Default: one less than cores, at most 4. */
  readonly workers?: number;
  /** Threads inside an operator, each model its own: more make one large model faster. Default 1: the worker thread itself. */
  readonly threads?: number;
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
export function onnxruntimeBackend(options: OnnxruntimeOptions = {}): Backend {
  const { workers = Math.max(1, Math.min(4, availableParallelism() - 1)), threads = 1 } = options;
  for (const [name, value] of Object.entries({ workers, threads })) {
    if (Number.isSafeInteger(value) && value >= 1 && value <= MOST_THREADS) continue;
    throw backendError('ERR_BACKEND_OPTION', { expected: `${name} from 1 to ${MOST_THREADS}`, received: `${value}` });
  }
  return new OnnxruntimeBackend({ workers, threads, module: options.module ?? 'onnxruntime-node' });
}

class OnnxruntimeBackend implements Backend {
  readonly name = 'onnxruntime';
  readonly formats = ['onnx'] as const;
  readonly #options: Required<OnnxruntimeOptions>;
  readonly #lanes: readonly Lane[];
  readonly #sessions = new Map<string, Session>();
  #report: Promise<BackendReport> | undefined;
  #opened = 0;
  #disposed = false;

  constructor(options: Required<OnnxruntimeOptions>) {
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
    const { module, threads } = this.#options;
    const key = `${provider} ${model.checksum}`;
    const session = this.#sessions.get(key) ?? this.#newSession({ key, model, module, provider, threads });
    this.#sessions.set(key, session);
    session.retain();
    try {
      const { inputs, outputs } = await session.open();
      const wanted = model.outputs ?? outputs.map(({ name }) => name);
      const unknown = wanted.find((name) => !outputs.some((port) => port.name === name));
      if (unknown !== undefined)
        throw backendError('ERR_BACKEND_MODEL', { received: `no output "${unknown}"`, at: model.name ?? 'model' });
      return this.#stage(session, key, provider, model, { inputs, outputs, wanted });
    } catch (error) {
      await this.#release(key, session);
      throw error;
    }
  }

  #stage(
    session: Session,
    key: string,
    provider: string,
    model: BackendModel,
    { inputs, outputs, wanted }: Pick<BackendStage, 'inputs' | 'outputs'> & { readonly wanted: readonly string[] },
  ): BackendStage {
    const fed = inputs.filter(({ name }) => model.inputs?.includes(name) ?? true);
    let disposed: Promise<void> | undefined;
    return {
      inputs: fed,
      outputs: wanted.map((name) => outputs.find((port) => port.name === name)!),
      provider,
      device: provider === 'cpu' ? 'cpu' : 'gpu',
      bytes: model.bytes?.byteLength ?? 0,
      run: async (tensors: BackendTensors, options = {}) => {
        if (disposed !== undefined) throw backendError('ERR_BACKEND_CLOSED', { at: model.name ?? 'model' });
        return session.run(fed, tensors, wanted, options);
      },
      dispose: () => {
        disposed ??= this.#release(key, session);
        return disposed;
      },
    };
  }

  /** Where the fewest live. One that is opened while another of its name closes is not that one. */
  #newSession(facts: SessionFacts): Session {
    const lane = this.#lanes.reduce((least, one) => (one.sessions < least.sessions ? one : least));
    this.#opened += 1;
    return new Session({ ...facts, key: `${facts.key} ${this.#opened}` }, lane);
  }

  async #release(key: string, session: Session): Promise<void> {
    session.release();
    if (session.users > 0) return;
    if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    await session.close();
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }

  #checkOpen(): void {
    if (this.#disposed) throw backendError('ERR_BACKEND_CLOSED', { at: this.name });
  }
}
