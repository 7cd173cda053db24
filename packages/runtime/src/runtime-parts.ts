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
import type { QueueLimits } from './features/admission/queue.js';
import type { MaterializationOptions } from './features/cache/materialization.js';
import type { DeviceOptions } from './features/devices/options.js';
import type { VectorOptions } from './parallel/executors/vector-options.js';
import type { IsolationParts } from './parallel/isolated/isolation.js';
import type { WorkerParts } from './parallel/workers/worker-plan.js';
import type { LatencyOptions } from './telemetry/latencies.js';

export interface RuntimeParts {
  /** Holds the parameters of the plans. */
  readonly store: ObjectStore;
  /** Reference kernels of every operator, and fast JavaScript kernels. */
  readonly kernels: KernelTable;
  /**
   * The addon. Without it, everything runs in JavaScript. The store must hold its parameters in the
   * addon's memory.
   */
  readonly native?: NativeKernels | undefined;
  /**
   * The module that loads the addon in another thread. Without it, the runtime has no native
   * executors.
   */
  readonly addon?: string | undefined;
  /**
   * Number of worker threads that answer batches. With 0, the calling thread answers them. Default:
   * one less than the cores that this process may use, at least 1, so that the event loop has a
   * core.
   */
  readonly executors?: number | undefined;
  /**
   * The number of `nice` steps by which the priority of the shared native executors is lowered, 0
   * to 19. The event loop then runs first when cores are scarce. Reserved executors keep the
   * priority of the process. Linux only: on other systems, a library cannot change the priority of
   * a single thread. Default: 5.
   */
  readonly executorNice?: number | undefined;
  /**
   * Limits the memory that executors cache between chunks. Default: computed from the statistics
   * and chunks of the plans.
   */
  readonly vectors?: VectorOptions | undefined;
  /**
   * Worker threads for batches of plans in JavaScript. Without them, these batches run on the
   * calling thread.
   */
  readonly workers?: WorkerParts | undefined;
  /**
   * Instruction set of the addon's kernels. Default: the fastest one of this machine. Answers do
   * not depend on it.
   */
  readonly isa?: string | undefined;
  /** Worker threads for plans with operator deadlines. */
  readonly isolation?: IsolationParts | undefined;
  /** Limits of the queue. Default: none. */
  readonly limits?: QueueLimits | undefined;
  /**
   * Measures the time from call to answer for each plan and verb. A measured call takes 0.1 µs
   * longer, and each plan and verb takes 30 KiB. Default: off.
   */
  readonly latencies?: boolean | LatencyOptions | undefined;
  /** Measures how late timers of this thread fire, until `close()`. Default: off. */
  readonly eventLoopLag?: boolean | undefined;
  /**
   * Caches the results of stages that several plans share, by the input of the stage. Default: 16
   * MiB. False switches it off.
   */
  readonly materialization?: MaterializationOptions | false | undefined;
  /**
   * Other runtimes that run black boxes. The caller owns them; `close()` releases only what this
   * runtime has opened.
   */
  readonly backends?: readonly Backend[] | undefined;
  /** Prepares stages for devices. Without it, all stages run on the CPU. */
  readonly lowering?: PlanLowering | undefined;
  /** The profile of the device, and the maximal number of its concurrent calls. */
  readonly device?: DeviceOptions | undefined;
  /**
   * Time source of deadlines, delays, quarantines, latencies and slices of batches. Default: the
   * clock of the process.
   */
  readonly clock?: Clock | undefined;
}

/** For each option of `createRuntime` that is an object: the names of its fields. */
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
   * Milliseconds for which predictions in flight or in the queue may continue. Afterwards they fail
   * with ERR_RUNTIME_CLOSED. Default 0.
   */
  readonly drainMs?: number;
}

/** The names of the options of `close`. */
export const closeOptionNames = optionNames<CloseOptions>({ drainMs: true });
