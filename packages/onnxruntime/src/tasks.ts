import type { BackendPort, ElementType } from '@brezel/core';
import type { SessionChoices } from './session-options.js';

// What a worker thread is asked, and what it answers. Faults are answers, too: a task that is rejected means that its thread died.

/** A tensor on its way between threads. 16-bit floats travel as their bits. */
export interface WireTensor {
  readonly element: ElementType;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView<ArrayBuffer> | readonly string[];
}

export interface OpenTask extends SessionChoices {
  readonly kind: 'open';
  readonly key: string;
  /** Bytes of the file, or its path. */
  readonly model: Uint8Array | string;
  readonly providers: readonly string[];
  /** Threads inside an operator. */
  readonly threads: number;
}

export interface RunTask {
  readonly kind: 'run';
  readonly key: string;
  readonly feeds: Readonly<Record<string, WireTensor>>;
  /** Outputs wanted, each with an array to write it into, or null: the session makes one. */
  readonly fetches: Readonly<Record<string, WireTensor | null>>;
  /** Not zero: nobody waits for the answer any more. */
  readonly cancelled: Int32Array;
}

export interface CloseTask {
  readonly kind: 'close';
  readonly key: string;
}

/** The package that runs models, by name or path, goes with every task: a thread that is new has not loaded it. */
export type Task = (OpenTask | RunTask | CloseTask) & { readonly module: string };

export type Reply =
  | { readonly kind: 'opened'; readonly inputs: readonly BackendPort[]; readonly outputs: readonly BackendPort[] }
  | {
      readonly kind: 'ran';
      readonly results: Readonly<Record<string, WireTensor>>;
      /** Outputs were not of the shapes that the file tells: arrays for them are of no use. */
      readonly misfit?: true;
      readonly returned: Returned;
    }
  | { readonly kind: 'closed' }
  /** Nobody waited for it any more. Or the session is not in this thread: it is a new one. */
  | { readonly kind: 'cancelled' | 'unknown'; readonly returned: Returned }
  | {
      readonly kind: 'fault';
      readonly where: 'package' | 'model' | 'run';
      readonly message: string;
      readonly returned?: Returned;
    };

/** Memory of the request that holds no answer: its sender's again. */
export type Returned = readonly ArrayBuffer[];
