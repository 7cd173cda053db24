import type { NumericTensor, Tensor, TensorPort } from './tensor.js';

/**
 * Formats of models that backends can open. `external` is a model of another server or process. Its
 * path is the name of the predictor that sends requests to the model.
 */
export type BackendFormat = 'onnx' | 'tfjs-graph' | 'tfjs-layers' | 'saved-model' | 'external';

/** The device that runs a stage. `auto` picks a GPU if one is usable, otherwise the CPU. */
export type BackendDevice = 'cpu' | 'gpu' | 'auto';

/**
 * Whether one provider of a backend (an execution provider of onnxruntime, a TensorFlow package)
 * works on this machine.
 */
export interface ProviderReport {
  readonly name: string;
  /** The device that the provider computes on. */
  readonly device: 'cpu' | 'gpu';
  /** True if a test model ran with this provider. */
  readonly available: boolean;
  /** The reason why the provider is unavailable. */
  readonly why?: string;
  /** What to do to make the provider available. */
  readonly remedy?: string;
}

/** The state of a backend on this machine: its package, its file formats and its providers. */
export interface BackendReport {
  readonly name: string;
  /**
   * The npm package that runs the models, for example `onnxruntime-node`; undefined when it is not
   * installed.
   */
  readonly package?: string;
  readonly version?: string;
  /** True when at least one provider works, so that the backend can open models. */
  readonly available: boolean;
  readonly why?: string;
  readonly remedy?: string;
  /** The file formats that the backend opens on this machine. */
  readonly formats: readonly BackendFormat[];
  readonly providers: readonly ProviderReport[];
}

/** A model for a backend, as bytes or as the path of a file or folder. */
export interface BackendModel {
  readonly format: BackendFormat;
  /**
   * Contents of the model file. The backend never changes these bytes. Set either `bytes` or
   * `path`.
   */
  readonly bytes?: Uint8Array;
  readonly path?: string;
  /**
   * Checksum of the model's content. A backend loads models with equal checksums and equal options
   * once.
   */
  readonly checksum: string;
  /** Name of the model in errors and reports. */
  readonly name?: string;
  /** Names of the inputs that requests contain. Default: all inputs of the model. */
  readonly inputs?: readonly string[];
  /** Names of the outputs that answers contain. Default: all outputs of the model. */
  readonly outputs?: readonly string[];
}

/** Options with which a backend opens a model. */
export interface BackendOptions {
  /** Device to run on. Default `cpu`. */
  readonly device?: BackendDevice;
  /**
   * Names of providers, as `BackendReport` lists them. The backend tries them in this order.
   * Default: the backend chooses providers for the device.
   */
  readonly providers?: readonly string[];
}

/** Typed arrays of the caller by output name. They receive the numeric outputs. */
export type BackendArrays = Readonly<Record<string, NumericTensor['data']>>;

/** A whole tensor in row-major order, in the form that `predictTensors` accepts. */
export type BackendTensor = Tensor;

/** Tensors by the name of the input or output. */
export type BackendTensors = Readonly<Record<string, BackendTensor>>;

/**
 * An input or output of a stage. `kind` is always `tensor`. In `shape`, a name or null stands for a
 * size that requests may choose.
 */
export type BackendPort = TensorPort;

/** Options of one run of a `BackendStage`. */
export interface BackendRunOptions {
  /**
   * When the signal aborts, the call rejects with the signal's reason. A run that has started may
   * finish; its result is dropped.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Arrays of the caller into which the backend writes numeric outputs, so that it does not
   * allocate arrays.
   *
   * A backend fills an array whose element type and length match the output, and returns it as the
   * output's data. It may also ignore the array and return a new one.
   */
  readonly into?: BackendArrays | undefined;
}

/** An open model. It runs whole tensors and never blocks the event loop of its caller. */
export interface BackendStage {
  readonly inputs: readonly BackendPort[];
  readonly outputs: readonly BackendPort[];
  /** Name of the provider that runs the stage. */
  readonly provider: string;
  readonly device: 'cpu' | 'gpu';
  /**
   * An estimate of the memory that the stage occupies, in bytes: at least the size of the model.
   */
  readonly bytes: number;
  /**
   * The number of requests that the stage runs at the same time: an integer from 1. The runtime
   * sends up to this many blocks of a batch at once. Default 1.
   */
  readonly concurrency?: number;
  /**
   * Runs the model on one request.
   *
   * The backend reads or copies the inputs before the call returns. The caller owns the outputs. A
   * failed request does not affect other stages or requests.
   *
   * @throws ERR_BACKEND_INPUT, ERR_BACKEND_RUN, ERR_BACKEND_LOST, ERR_BACKEND_CLOSED, or the
   * signal's reason.
   */
  run(inputs: BackendTensors, options?: BackendRunOptions): Promise<BackendTensors>;
  /**
   * Waits for running requests, then frees the model unless another stage shares it. Repeated calls
   * are allowed.
   */
  dispose(): Promise<void>;
}

/**
 * Another runtime that runs models, or parts of models, as black boxes.
 *
 * @example
 * const backend = onnxruntimeBackend();
 * const { available, why } = await backend.probe();
 * if (!available) console.warn(why);
 * const stage = available
 *   ? await backend.open({ format: 'onnx', bytes, checksum: 'identity' })
 *   : undefined;
 * const x = { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) };
 * const answer = await stage?.run({ x });
 * await backend.dispose();
 */
export interface Backend {
  readonly name: string;
  /** Formats that the backend supports, even if the package that it uses is not installed. */
  readonly formats: readonly BackendFormat[];
  /**
   * Returns whether the backend can open a model of one of its formats. A runtime may have several
   * backends of the format `external`, and each opens only its own model. Default: every model.
   */
  serves?(model: Pick<BackendModel, 'format' | 'path'>): boolean;
  /**
   * Called when a runtime registers the backend. The runtime calls the returned function at the end
   * of `close`.
   */
  attach?(): () => Promise<void>;
  /**
   * Reports what the backend can do on this machine. Never throws. The first call tries each
   * provider with a tiny model and may take seconds.
   */
  probe(): Promise<BackendReport>;
  /**
   * Opens a model as a stage that can run requests.
   *
   * @throws ERR_BACKEND_MISSING when the package is not installed; ERR_BACKEND_PROVIDER when none
   * of the requested providers works; ERR_BACKEND_MODEL when the model cannot be read.
   */
  open(model: BackendModel, options?: BackendOptions): Promise<BackendStage>;
  /**
   * Waits for running requests, then frees every stage. Later calls fail with ERR_BACKEND_CLOSED.
   * Repeated calls are allowed.
   */
  dispose(): Promise<void>;
}
