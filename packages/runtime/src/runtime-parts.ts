import type { Backend, Clock, KernelTable, PlanLowering } from '@brezel/core';
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
  /** The store of the plans' parameters. */
  readonly store: ObjectStore;
  /** Reference kernels of every operator, and fast JavaScript kernels. */
  readonly kernels: KernelTable;
  /** The addon; without it everything runs in JavaScript. It must use the memory of the store. */
  readonly native?: NativeKernels | undefined;
  /**
   * Module that loads the addon in another thread; without it the runtime has no native executors.
   */
  readonly addon?: string | undefined;
  /**
   * Number of worker threads that answer batches; 0: the calling thread answers them. Default: the
   * number of cores that this process may use.
   */
  readonly executors?: number | undefined;
  /**
   * Limits of the memory that executors cache between chunks. Default: from the statistics and
   * chunks of the plans.
   */
  readonly vectors?: VectorOptions | undefined;
  /**
   * Worker threads for batches of plans in JavaScript; without them these run on the calling
   * thread.
   */
  readonly workers?: WorkerParts | undefined;
  /**
   * Instruction set of the addon's kernels; default: the best one of this machine. Answers do not
   * depend on it.
   */
  readonly isa?: string | undefined;
  /** Worker threads for plans with operator deadlines. */
  readonly isolation?: IsolationParts | undefined;
  /** Limits of the queue. Default: none. */
  readonly limits?: QueueLimits | undefined;
  /**
   * Measures the time from call to answer, for each plan and verb. Default: off. It takes 0.1 µs
   * for each measured call, and 30 KiB for each plan and verb.
   */
  readonly latencies?: boolean | LatencyOptions | undefined;
  /** Measures how late timers of this thread fire, until `close()`. Default: off. */
  readonly eventLoopLag?: boolean | undefined;
  /**
   * Caches results of stages that several plans share, by their input. Default: 16 MiB; false: off.
   */
  readonly materialization?: MaterializationOptions | false | undefined;
  /**
   * Other runtimes that run black boxes. The caller owns them: `close()` releases only what this
   * runtime opened.
   */
  readonly backends?: readonly Backend[] | undefined;
  /** Cuts plans for devices and lowers their stages; without it all stages run on the CPU. */
  readonly lowering?: PlanLowering | undefined;
  /** The profile of the device, and the number of its concurrent calls. */
  readonly device?: DeviceOptions | undefined;
  /** Time source of deadlines, delays and quarantines. Default: the clock of the process. */
  readonly clock?: Clock | undefined;
}

export interface CloseOptions {
  /**
   * How long predictions in flight or in the queue may continue, in milliseconds, before they fail
   * with ERR_RUNTIME_CLOSED. Default 0.
   */
  readonly drainMs?: number;
}
