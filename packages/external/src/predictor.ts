import {
  type Backend,
  type BackendModel,
  type BackendOptions,
  type BackendPort,
  type BackendReport,
  type BackendRunOptions,
  type BackendStage,
  type BackendTensors,
  type BlackBoxFile,
  type BlackBoxOptions,
  backendError,
  checkBackendTensors,
  elementCount,
  type FlourContext,
  type Flow,
  type Program,
} from 'brezel';
import { AnswerCache, type AnswerCacheStatistics } from './answer-cache.js';
import type { Client } from './client.js';
import { externalError } from './errors.js';
import type { CheckedOptions } from './options.js';
import type { ReplicaStatistics } from './replica.js';
import { type ExternalPort, printSchema, type Schema } from './schema.js';

/** Statistics of a predictor and its replicas. */
export interface ExternalStatistics {
  /** The name of the predictor. */
  readonly name: string;
  /**
   * Requests that wait for a replica. With the option `batching`: calls with rows that no request
   * contains yet.
   */
  readonly waiting: number;
  readonly replicas: readonly ReplicaStatistics[];
  /** Statistics of the cached answers. Undefined without the option `deterministic`. */
  readonly cache?: AnswerCacheStatistics;
}

/** An input or output of an external model: its name, and its type in one row. */
export type ExternalValue = Pick<ExternalPort, 'name' | 'type'>;

/** Options of `ExternalPredictor.program`. */
export interface ExternalProgramOptions {
  /** The name of the program. Default: the name of the predictor. */
  readonly name?: string;
  /**
   * The outputs of the program. Each output sends its own request, so select only the outputs that
   * you need. Default: all outputs of the model.
   */
  readonly outputs?: readonly string[];
}

/**
 * A model of another server, as a backend of Brezel. Register it in a runtime, and use its program
 * like any other program: compile, register, and put it into registries.
 */
export class ExternalPredictor implements Backend {
  readonly name: string;
  readonly formats = ['external'] as const;
  /** The inputs of the model. */
  readonly inputs: readonly ExternalValue[];
  /** The outputs of the model. */
  readonly outputs: readonly ExternalValue[];
  /** The model as an argument of `Flow.blackBox`. */
  readonly model: BlackBoxFile;
  readonly #client: Client;
  readonly #schema: Schema;
  readonly #cache: AnswerCache | undefined;
  readonly #endsWithRuntimes: boolean;
  /** The number of open runtimes that have registered the predictor. */
  #runtimes = 0;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(
    { name, model, version, deterministic, cacheBytes }: CheckedOptions,
    client: Client,
    schema: Schema,
    { endsWithRuntimes }: { readonly endsWithRuntimes: boolean },
  ) {
    this.#endsWithRuntimes = endsWithRuntimes;
    this.name = name;
    this.#client = client;
    this.#schema = schema;
    this.#cache = deterministic ? new AnswerCache(cacheBytes, schema.inputs) : undefined;
    this.inputs = schema.inputs.map(({ name, type }) => ({ name, type }));
    this.outputs = schema.outputs.map(({ name, type }) => ({ name, type }));
    const checksum = JSON.stringify([name, model, version ?? '', printSchema(schema)]);
    this.model = { format: 'external', path: name, checksum };
  }

  /**
   * Returns a program that runs the model: its inputs, and the outputs that you select.
   *
   * Cost: one HTTP request for each output and each block of rows.
   * @throws ERR_EXTERNAL_OPTION for an unknown output.
   * @example
   * const compiled = predictor.program(flour, { outputs: ['y'] }).plan();
   */
  program(flour: FlourContext, { name = this.name, outputs }: ExternalProgramOptions = {}): Program {
    const inputs = this.#schema.inputs.map((port) => flour.input(port.name, port.type) as unknown as Flow);
    const [first, ...others] = inputs as [Flow, ...Flow[]];
    const names = this.#schema.inputs.slice(1).map((port) => port.name);
    const rest = Object.fromEntries(names.map((input, index) => [input, others[index]!]));
    const chosen = outputs ?? this.#schema.outputs.map((port) => port.name);
    const flows = chosen.map((output) => [output, this.#outputOf(first, output, rest)] as const);
    return flour.program(Object.fromEntries(flows), { name, inputs }) as Program;
  }

  /**
   * Returns the options of `Flow.blackBox` for one output of the model.
   *
   * @param output Default: the first output.
   * @throws ERR_EXTERNAL_OPTION for an unknown output.
   * @example
   * const x = flour.input('x', vector('float32', 2));
   * const sums = x.blackBox(predictor.model, predictor.box('y'));
   */
  box(output?: string): BlackBoxOptions {
    const { name, axes, element } = this.#portOf(output);
    const input = this.#schema.inputs[0]!.name;
    return { size: elementCount(axes), dtype: element, input, output: name };
  }

  /** Returns the state and the counters of each replica. */
  stats(): ExternalStatistics {
    const cache = this.#cache?.stats();
    return { name: this.name, ...this.#client.stats(), ...(cache !== undefined && { cache }) };
  }

  /** Returns whether a model is the model of this predictor. A predictor runs no other model. */
  serves({ path }: Pick<BackendModel, 'path'>): boolean {
    return path === this.name;
  }

  /**
   * Counts a runtime that uses the predictor. A predictor of `processPredictor` closes when its
   * last runtime closes. The runtime calls this method.
   */
  attach(): () => Promise<void> {
    this.#runtimes++;
    return async () => {
      this.#runtimes--;
      if (this.#runtimes === 0 && this.#endsWithRuntimes) await this.close();
    };
  }

  /** Reports whether a replica is available. */
  async probe(): Promise<BackendReport> {
    const { replicas } = this.stats();
    const providers = replicas.map(({ replica, state, lastError }) => ({
      name: replica,
      device: 'cpu' as const,
      available: state === 'up',
      ...(state !== 'up' && lastError !== undefined && { why: lastError }),
    }));
    const { name, formats } = this;
    return { name, formats, providers, available: providers.some(({ available }) => available) };
  }

  /**
   * Opens the model as a stage. The runtime calls this method.
   * @throws ERR_EXTERNAL_CLOSED; ERR_BACKEND_MODEL for a plan of another model, of another version
   * or with other inputs and outputs; ERR_BACKEND_PROVIDER for another device than `cpu`.
   */
  async open(
    { outputs, checksum }: BackendModel,
    { device = 'cpu', providers }: BackendOptions = {},
  ): Promise<BackendStage> {
    this.#checkOpen();
    if (checksum !== this.model.checksum)
      throw backendError('ERR_BACKEND_MODEL', {
        expected: this.model.checksum,
        received: String(checksum),
        at: this.name,
        hint: 'compile the program with this predictor, or give each predictor another name',
      });
    if (device === 'gpu' || providers !== undefined)
      throw backendError('ERR_BACKEND_PROVIDER', {
        received: providers === undefined ? 'device gpu' : 'providers',
        at: this.name,
        hint: 'the remote server chooses its device; omit device and providers',
      });
    const ports = outputs === undefined ? this.#schema.outputs : outputs.map((output) => this.#portOf(output));
    return this.#stage(ports);
  }

  /**
   * Rejects waiting requests, waits for requests in flight, and closes the connections. Requests in
   * flight end after `timeoutMs` at the latest. Repeated calls are allowed.
   */
  close(): Promise<void> {
    this.#closed ??= this.#client.close();
    return this.#closed;
  }

  /** Closes the predictor, like `close`. */
  dispose(): Promise<void> {
    return this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #outputOf(flow: Flow, output: string, others: Readonly<Record<string, Flow>>): Flow {
    const options = { ...this.box(output), ...(Object.keys(others).length > 0 && { others }) };
    const result = flow.blackBox(this.model, options);
    const { type, axes } = this.#portOf(output);
    if (type.kind === 'scalar') return (result as Flow<'vector', unknown, readonly number[]>).asScalar() as Flow;
    return type.kind === 'tensor' ? result.asTensor(axes) : result;
  }

  #portOf(output: string = this.#schema.outputs[0]!.name): ExternalPort {
    const port = this.#schema.outputs.find(({ name }) => name === output);
    if (port !== undefined) return port;
    const expected = `an output of the model: ${this.outputs.map(({ name }) => name).join(', ')}`;
    throw externalError('ERR_EXTERNAL_OPTION', { expected, received: String(output), at: this.name });
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw externalError('ERR_EXTERNAL_CLOSED', { at: this.name });
  }

  #stage(outputs: readonly ExternalPort[]): BackendStage {
    const { inputs } = this.#schema;
    const client = this.#client;
    const [from, to] = [inputs.map(backendPort), outputs.map(backendPort)];
    let isDisposed = false;
    return {
      inputs: from,
      outputs: to,
      provider: this.name,
      device: 'cpu',
      bytes: 0,
      concurrency: client.concurrency,
      run: async (tensors: BackendTensors, { signal }: BackendRunOptions = {}) => {
        this.#checkOpen();
        if (isDisposed) throw backendError('ERR_BACKEND_CLOSED', { at: this.name });
        checkBackendTensors(from, tensors, this.name);
        const rows = rowsOf(from, tensors, this.name);
        const cache = this.#cache;
        if (cache === undefined) return client.infer(tensors, outputs, rows, signal);
        return cache.run((...some) => client.infer(...some), { tensors, outputs, rows, signal });
      },
      dispose: async () => {
        isDisposed = true;
      },
    };
  }
}

const backendPort = ({ name, element, axes }: ExternalPort): BackendPort => ({
  name,
  kind: 'tensor',
  element,
  shape: [null, ...axes],
});

/**
 * Returns the number of rows of the tensors.
 * @throws ERR_BACKEND_INPUT if the tensors have no rows, or different numbers of rows.
 */
function rowsOf(ports: readonly BackendPort[], tensors: BackendTensors, at: string): number {
  const [rows, ...others] = ports.map(({ name }) => tensors[name]!.shape[0]!) as [number, ...number[]];
  if (rows > 0 && others.every((other) => other === rows)) return rows;
  const received = [rows, ...others].join(', ');
  throw backendError('ERR_BACKEND_INPUT', { expected: 'the same number of rows in each tensor', received, at });
}
