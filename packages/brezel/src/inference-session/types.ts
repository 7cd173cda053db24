import type { CallOptions } from '@brezel/runtime';
import type { Tensor, TensorLike } from './tensor.js';
import type { TensorType } from './tensor-types.js';

/** A file with weights that the model does not contain. */
export interface ExternalFile {
  /** The name under which the model refers to the file. */
  readonly path: string;
  /** The bytes of the file, or its path. */
  readonly data: Uint8Array | string;
}

/**
 * Options of `InferenceSession.create`, as in onnxruntime-node. Brezel reads `externalData` and
 * `freeDimensionOverrides`. It ignores options that have no meaning for Brezel, such as threads,
 * with one warning for the process. It rejects a value if ignoring it would change the result, such
 * as a list of execution providers without `cpu`.
 */
export interface SessionOptions {
  /**
   * The list must be empty or contain `cpu`. Brezel ignores the other providers in the list, with a
   * warning.
   */
  readonly executionProviders?: readonly (string | { readonly name: string })[];
  /** A size for each named axis of the inputs, for example `{ batch: 1 }`. */
  readonly freeDimensionOverrides?: Readonly<Record<string, number>>;
  /** Files with weights. Default: the folder of the model, if the model is a path. */
  readonly externalData?: readonly (string | ExternalFile)[];
  readonly intraOpNumThreads?: number;
  readonly interOpNumThreads?: number;
  readonly graphOptimizationLevel?: string;
  readonly enableCpuMemArena?: boolean;
  readonly enableMemPattern?: boolean;
  readonly executionMode?: string;
  readonly logId?: string;
  readonly logSeverityLevel?: number;
  readonly logVerbosityLevel?: number;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The location of outputs. Only `cpu` is accepted. */
  readonly preferredOutputLocation?: string | Readonly<Record<string, string>>;
  /** Only `false` is accepted. */
  readonly enableProfiling?: boolean;
  /** Only `false` is accepted. */
  readonly enableGraphCapture?: boolean;
  readonly profileFilePrefix?: string;
  /** Rejected: Brezel does not write optimized model files. */
  readonly optimizedModelFilePath?: string;
}

/**
 * Options of `run`: Brezel's deadline and signal, and options of onnxruntime. The options of
 * onnxruntime have no effect, except that `terminate: true` is rejected.
 */
export interface RunOptions extends CallOptions {
  readonly logSeverityLevel?: number;
  readonly logVerbosityLevel?: number;
  readonly tag?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Only `false` is accepted. To end a run, pass a `signal`. */
  readonly terminate?: boolean;
}

/** The rows of an input that is a map (DictVectorizer): one object or Map for each row. */
export type DictionaryRows = readonly (Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>)[];

/** The inputs of a run by name: tensors of Brezel or of onnxruntime. */
export type Feeds = Readonly<Record<string, TensorLike | DictionaryRows>>;

/** The outputs to return: a list of names, or an object with null or tensors that receive data. */
export type Fetches = readonly string[] | Readonly<Record<string, TensorLike | null>>;

/** The outputs of a run by name. */
export type Results = Readonly<Record<string, Tensor>>;

/**
 * An input or output. Each entry of `shape` is a size, the name of an axis of any size, or '' for
 * an axis of any size without a name.
 */
export type ValueMetadata =
  | { readonly name: string; readonly isTensor: false }
  | {
      readonly name: string;
      readonly isTensor: true;
      readonly type: TensorType;
      readonly shape: readonly (number | string)[];
      /** The names of the columns, for an output that the file declares as a map (ZipMap). */
      readonly labels?: readonly string[];
    };
