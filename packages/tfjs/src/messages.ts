import type { BackendFormat, BackendTensor, ErrorDetails, TensorPort } from '@brezel/core';
import type { TfjsProvider } from './providers.js';

// Messages between the caller's thread and the worker that has loaded TensorFlow. They are plain
// data. Errors are sent as their fields.

/** Identifies the library that a worker loads. */
export interface LibraryRef {
  readonly provider: TfjsProvider;
  /** The file to load, as `installedAt` returns it. */
  readonly file: string;
}

/**
 * A model that a worker opens at its first request. If the worker dies, the worker that replaces it
 * opens the model again.
 */
export interface ModelRef {
  readonly id: number;
  readonly format: Exclude<BackendFormat, 'onnx' | 'external'>;
  readonly path: string;
  readonly name: string;
  readonly maxBytes: number;
  /**
   * Digest of the model's files when a worker opened the model for the first time. Undefined before
   * that.
   */
  readonly digest: string | undefined;
}

export interface NamedTensor {
  readonly name: string;
  readonly tensor: BackendTensor;
}

/**
 * What a worker reports about its library after a test with a small model.
 */
export interface LibraryFacts {
  readonly version: string;
  readonly device: 'cpu' | 'gpu';
  readonly savedModels: boolean;
}

export interface ModelFacts {
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  readonly bytes: number;
  readonly digest: string;
}

/** Memory of TensorFlow, from `tf.memory()`. */
export interface MemoryFacts {
  readonly tensors: number;
  readonly bytes: number;
}

/** The input and the output of each kind of task that a worker runs. */
export interface Tasks {
  probe: { in: { library: LibraryRef }; out: LibraryFacts };
  open: { in: { library: LibraryRef; model: ModelRef }; out: ModelFacts };
  run: {
    in: { library: LibraryRef; model: ModelRef; inputs: readonly NamedTensor[]; outputs: readonly string[] };
    out: readonly NamedTensor[];
  };
  close: { in: { id: number }; out: undefined };
  memory: { in: Record<string, never>; out: MemoryFacts };
}

export type TaskKind = keyof Tasks;

export type FailureCode = 'ERR_BACKEND_MODEL' | 'ERR_BACKEND_RUN' | 'ERR_BACKEND_PROVIDER';

export type Reply<T> =
  | { readonly value: T }
  | { readonly failure: { readonly code: FailureCode; readonly details: ErrorDetails } };
