import type { NumericTensor, Tensor, TensorPort } from './tensor.js';

/** File formats that backends open. */
export type BackendFormat = 'onnx' | 'tfjs-graph' | 'tfjs-layers' | 'saved-model';

/** Where a stage may run. `auto`: on a GPU where one can be had, else on the CPU. */
export type BackendDevice = 'cpu' | 'gpu' | 'auto';

/** A provider of a backend (an execution provider, a TensorFlow package): whether it works here, and what to do if not. */
export interface ProviderReport {
  readonly name: string;
  /** What it computes on. */
  readonly device: 'cpu' | 'gpu';
  /** A model was opened and run with it. */
  readonly available: boolean;
  /** Why it is not available. */
  readonly why?: string;
  /** What to do about that. */
  readonly remedy?: string;
}

/** What there is of a backend on this machine. */
export interface BackendReport {
  readonly name: string;
  /** The package that does the work, e.g. `onnxruntime-node`; undefined where none is installed. */
  readonly package?: string;
  readonly version?: string;
  /** It can open models: at least one provider works. */
  readonly available: boolean;
  readonly why?: string;
  readonly remedy?: string;
  /** The formats it opens here. */
  readonly formats: readonly BackendFormat[];
  readonly providers: readonly ProviderReport[];
}

/** A model for a backend: bytes, or a path of a file or folder. */
export interface BackendModel {
  readonly format: BackendFormat;
  /** Not changed and not given away by the backend. One of `bytes` and `path` is needed. */
  readonly bytes?: Uint8Array;
  readonly path?: string;
  /** Models of one checksum, opened with the same options, are held once. */
  readonly checksum: string;
  /** For errors and reports. */
  readonly name?: string;
  /** Names of the inputs to feed, where not all of them. */
  readonly inputs?: readonly string[];
  /** Names of the outputs wanted, where not all of them. */
  readonly outputs?: readonly string[];
}

export interface BackendOptions {
  /** Default `cpu`. */
  readonly device?: BackendDevice;
  /** Providers to try, in order, by the names of the report. Default: the backend's choice for the device. */
  readonly providers?: readonly string[];
}

/** Arrays of numbers that outputs are written into, by name. */
export type BackendArrays = Readonly<Record<string, NumericTensor['data']>>;

/** A tensor at the door of a backend: whole, row-major, as `predictTensors` takes it. */
export type BackendTensor = Tensor;

export type BackendTensors = Readonly<Record<string, BackendTensor>>;

/** An input or output of a stage. `kind` is always `tensor`; `shape` has names or null for free sizes. */
export type BackendPort = TensorPort;

export interface BackendRunOptions {
  /** Settles the call with the signal's reason; what runs already may run to its end, and its result is dropped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Arrays of the caller for outputs of numbers, so that nothing need be allocated. A backend fills one that is of the output's element type and length,
   * and gives it back as the output's data; it may also leave it alone and give an array of its own.
   */
  readonly into?: BackendArrays | undefined;
}

/** An open model: runs whole tensors, never on the event loop of its caller. */
export interface BackendStage {
  readonly inputs: readonly BackendPort[];
  readonly outputs: readonly BackendPort[];
  /** The provider that runs it. */
  readonly provider: string;
  readonly device: 'cpu' | 'gpu';
  /** Bytes that are held for it, as far as the backend can tell: at least those of the model. */
  readonly bytes: number;
  /**
   * Answers one request. Inputs are read before the call returns or copied; outputs are the caller's own.
   *
   * @throws ERR_BACKEND_INPUT, ERR_BACKEND_RUN, ERR_BACKEND_LOST, ERR_BACKEND_CLOSED, and the signal's reason. Other stages and requests are unharmed.
   */
  run(inputs: BackendTensors, options?: BackendRunOptions): Promise<BackendTensors>;
  /** Lets go of the model when nobody else holds it; waits for what runs. More than once is no fault. */
  dispose(): Promise<void>;
}

/**
 * Another runtime that runs models, or parts of them, as black boxes.
 *
 * @example
 * const backend = onnxruntimeBackend();
 * const { available, why } = await backend.probe();
 * if (!available) console.warn(why);
 * const stage = available ? await backend.open({ format: 'onnx', bytes, checksum: 'identity' }) : undefined;
 * const answer = await stage?.run({ x: { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) } });
 * await backend.dispose();
 */
export interface Backend {
  readonly name: string;
  /** Formats it may open, whether or not anything is installed. */
  readonly formats: readonly BackendFormat[];
  /** Says what there is. Never throws; tries each provider with a tiny model, so it takes up to seconds the first time. */
  probe(): Promise<BackendReport>;
  /** @throws ERR_BACKEND_MISSING when nothing is installed, ERR_BACKEND_PROVIDER when no provider asked for works, ERR_BACKEND_MODEL when the model cannot be read. */
  open(model: BackendModel, options?: BackendOptions): Promise<BackendStage>;
  /** Waits for what runs, then lets go of everything; later calls fail with ERR_BACKEND_CLOSED. More than once is no fault. */
  dispose(): Promise<void>;
}
