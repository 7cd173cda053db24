import {
  type Backend,
  type Clock,
  type DeviceProfile,
  type KernelTable,
  optionNames,
  type PlanLowering,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { NativeKernels } from './execute/native/native-kernels.js';
import type { StoreKernels } from './execute/wasm/store-kernels.js';
import type { QueueLimits } from './features/admission/queue.js';
import type { MaterializationOptions } from './features/cache/materialization.js';
import type { DeviceOptions } from './features/devices/options.js';
import type { VectorOptions } from './parallel/executors/vector-options.js';
import type { IsolationParts } from './parallel/isolated/isolation.js';
import type { WorkerParts } from './parallel/workers/worker-plan.js';
import type { LatencyOptions } from './telemetry/latencies.js';

export interface RuntimeParts {
  /** The object store with the parameters of the plans. */
  readonly store: ObjectStore;
  /** Reference kernels of every operator. */
  readonly kernels: KernelTable;
  /**
   * The addon. With the addon, the store must hold parameters in the memory of the addon.
   */
  readonly native?: NativeKernels | undefined;
  /**
   * The kernels in WebAssembly for the store, which run plans without the addon. Without both,
   * reference implementations run in JavaScript.
   */
  readonly wasm?: StoreKernels | undefined;
  /**
   * The module that loads the addon in another thread. Without it, the runtime has no native
   * executors.
   */
  readonly addon?: string | undefined;
  /**
   * Number of worker threads that answer batches. With 0, the calling thread answers batches.
   * Default: one less than the number of cores that this process may use, at least 1. One core then
   * remains for the event loop.
   */
  readonly executors?: number | undefined;
  /**
   * The number of `nice` steps by which the priority of the shared native executors is lowered, 0
   * to 19. The event loop then runs first when cores are scarce. Reserved executors keep the
   * priority of the process. The option works only on Linux: on other systems, a library cannot
   * change the priority of a single thread. Default: 5.
   */
  readonly executorNice?: number | undefined;
  /**
   * Limits the memory that executors cache between chunks. Default: 16 pooled vectors of each size
   * class, and no limit in bytes.
   */
  readonly vectors?: VectorOptions | undefined;
  /**
   * Worker threads for batches of plans that run in JavaScript. Without them, these batches run on
   * the calling thread.
   */
  readonly workers?: WorkerParts | undefined;
  /**
   * Instruction set of the addon's kernels. Default: the fastest one of this machine. Answers do
   * not depend on the instruction set.
   */
  readonly isa?: string | undefined;
  /** Worker threads for plans with operator deadlines. */
  readonly isolation?: IsolationParts | undefined;
  /** Limits of the queue. Default: none. */
  readonly limits?: QueueLimits | undefined;
  /**
   * Measures the time from call to answer for each plan and verb. Measuring a call takes about 0.1
   * µs, and each plan and verb takes 30 KiB. Default: off.
   */
  readonly latencies?: boolean | LatencyOptions | undefined;
  /** Measures how late timers of this thread fire, until `close()`. Default: off. */
  readonly eventLoopLag?: boolean | undefined;
  /**
   * Limits the cache for results of stages that several plans share. Default: 16 MiB. False
   * disables the cache.
   */
  readonly materialization?: MaterializationOptions | false | undefined;
  /**
   * Other runtimes that run black boxes. The caller owns the backends: `close()` of the runtime
   * closes only the models that the runtime has opened.
   */
  readonly backends?: readonly Backend[] | undefined;
  /** Prepares stages for devices. Without it, all stages run on the CPU. */
  readonly lowering?: PlanLowering | undefined;
  /**
   * Options of the device: its assumed speed, the maximal number of concurrent calls and others.
   */
  readonly device?: DeviceOptions | undefined;
  /**
   * Clock for deadlines, delays, quarantines, latencies and slices of batches. Default: the clock
   * of the process.
   */
  readonly clock?: Clock | undefined;
}

/** For each option of `createRuntime` that is an object, the names of its fields. */
export const runtimeOptionNames = {
  vectors: optionNames<VectorOptions>({ perClass: true, maxBytes: true }),
  limits: optionNames<QueueLimits>({ maxQueuedRows: true, maxQueuedBytes: true }),
  latencies: optionNames<LatencyOptions>({ sampleEvery: true, stagesEvery: true }),
  materialization: optionNames<MaterializationOptions>({ maxBytes: true }),
  device: optionNames<DeviceOptions>({
    profile: optionNames<DeviceProfile>({ callMicros: true, flopsPerMicro: true, transferBytesPerMicro: true }),
    calls: true,
    timeoutMs: true,
    retryMs: true,
  }),
};

export interface CloseOptions {
  /**
   * Milliseconds for which predictions in flight or in the queue may continue. Remaining
   * predictions then fail with ERR_RUNTIME_CLOSED. Default 0.
   */
  readonly drainMs?: number;
}

/** The names of the options of `close`. */
export const closeOptionNames = optionNames<CloseOptions>({ drainMs: true });
