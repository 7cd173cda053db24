import type { BackendPort, ElementType } from '@brezel/core';
import type { SessionChoices } from './session-options.js';

// Messages between the caller's thread and a worker thread. Errors are ordinary answers. A rejected
// task means that its thread died.

/** A tensor in the form that is sent between threads. 16-bit floats are bit patterns. */
export interface WireTensor {
  readonly element: ElementType;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView<ArrayBuffer> | readonly string[];
}

export interface OpenTask extends SessionChoices {
  readonly kind: 'open';
  readonly key: string;
  /** The bytes of the model file, or its path. */
  readonly model: Uint8Array | string;
  readonly providers: readonly string[];
  /** Number of threads that one operator uses. */
  readonly threads: number;
}

export interface RunTask {
  readonly kind: 'run';
  readonly key: string;
  readonly feeds: Readonly<Record<string, WireTensor>>;
  /**
   * The requested outputs. Each has an array into which onnxruntime writes, or null if onnxruntime
   * must allocate the array.
   */
  readonly fetches: Readonly<Record<string, WireTensor | null>>;
  /**
   * Contains a nonzero number if the caller has canceled the request. The worker thread shares this
   * memory.
   */
  readonly cancelled: Int32Array;
}

export interface CloseTask {
  readonly kind: 'close';
  readonly key: string;
}

/**
 * A task of a worker thread. Each task contains the name of the package that runs models, because a
 * new thread has not loaded the package yet.
 */
export type Task = (OpenTask | RunTask | CloseTask) & { readonly module: string };

/** A task with the state that makes the exit of the process wait for it. */
export type GuardedTask = Task & { readonly guard: Int32Array };

export type Reply =
  | { readonly kind: 'opened'; readonly inputs: readonly BackendPort[]; readonly outputs: readonly BackendPort[] }
  | {
      readonly kind: 'ran';
      readonly results: Readonly<Record<string, WireTensor>>;
      /**
       * True if outputs had other shapes than the file declares, so that arrays allocated in
       * advance are useless.
       */
      readonly wrongShapes?: true;
      readonly returned: Returned;
    }
  | { readonly kind: 'closed' }
  /**
   * `cancelled`: the caller canceled the request. `unknown`: the thread is new and has not opened
   * the model.
   */
  | { readonly kind: 'cancelled' | 'unknown'; readonly returned: Returned }
  | {
      readonly kind: 'failed';
      readonly where: 'package' | 'model' | 'run';
      readonly message: string;
      readonly returned?: Returned;
    };

/**
 * Buffers of the request that contain no part of the answer. The reply transfers them back to the
 * calling thread.
 */
export type Returned = readonly ArrayBuffer[];
