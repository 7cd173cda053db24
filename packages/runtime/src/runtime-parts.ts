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
  /** Where the plans' parameters are. */
  readonly store: ObjectStore;
  /** Reference kernels of every operator, and fast JavaScript kernels. */
  readonly kernels: KernelTable;
  /** The addon; without it everything runs in JavaScript. Its memory must be the store's. */
  readonly native?: NativeKernels | undefined;
  /** Module that loads the addon in another thread; without it there are no executors. */
  readonly addon?: string | undefined;
  /**
   * Worker threads that answer batches; 0: the calling thread does. Default: as many as this
   * process may use cores.
   */
  readonly executors?: number | undefined;
  /**
   * Memory that executors keep between chunks. Default: what the plans' statistics and chunks ask
   * for.
   */
  readonly vectors?: VectorOptions | undefined;
  /**
   * Worker threads for batches of plans that run in JavaScript; without them these stay on the
   * calling thread.
   */
  readonly workers?: WorkerParts | undefined;
  /**
   * Instruction set of the addon's kernels; default: the best this machine has. Answers do not
   * depend on it.
   */
  readonly isa?: string | undefined;
  /** Worker threads for plans with operators that may not end. */
  readonly isolation?: IsolationParts | undefined;
  /** How much may wait for an answer at once. Default: any number of rows. */
  readonly limits?: QueueLimits | undefined;
  /**
   * Measures the time from call to answer, a plan and a verb. Default: not; it takes 0.1 µs a
   * measured call and 30 KiB a plan and verb.
   */
  readonly latencies?: boolean | LatencyOptions | undefined;
  /** Watches how late timers of this thread are, from now until `close()`. Default: not. */
  readonly eventLoopLag?: boolean | undefined;
  /**
   * Results of stages that several plans share are kept, and found again by their input. Default:
   * in 16 MiB; false: none are.
   */
  readonly materialization?: MaterializationOptions | false | undefined;
  /**
   * Other runtimes that run black boxes. They stay their owner's: `close()` lets go of what was
   * opened here alone.
   */
  readonly backends?: readonly Backend[] | undefined;
  /** Cuts plans for devices, and writes what goes there; without it all of them run on the CPU. */
  readonly lowering?: PlanLowering | undefined;
  /** What the device is taken for, and how many calls it gets at once. */
  readonly device?: DeviceOptions | undefined;
  /** Time source of deadlines, delays and rests. Default: the clock of the process. */
  readonly clock?: Clock | undefined;
}

export interface CloseOptions {
  /**
   * How long predictions that run or wait may go on, in milliseconds, before they are told that the
   * runtime is closed. Default 0.
   */
  readonly drainMs?: number;
}
