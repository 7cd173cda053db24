import { createRequire } from 'node:module';
import type { Backend, Clock, KernelTable, PlanLowering } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import {
  checkedStore,
  type DeviceOptions,
  type LatencyOptions,
  type MaterializationOptions,
  type QueueLimits,
  Runtime,
  type VectorOptions,
} from '@brezel/runtime';
import { loadNative } from './native-store.js';

// A runtime with the addon and worker threads, for a given set of operators.

const require = createRequire(import.meta.url);

export interface RuntimeOptions {
  /** The store that holds the plans' parameters: `flour.store`. */
  readonly store: ObjectStore;
  /**
   * False runs plans in JavaScript, as on a machine without the addon. Default: native if the store
   * is native.
   */
  readonly native?: boolean;
  /**
   * Worker threads for batches. They start with the first batch that is large enough; the same
   * number again starts for plans that run in JavaScript. 0 runs everything on the calling thread.
   * Default: number of cores available to the process.
   */
  readonly executors?: number;
  /**
   * Memory that each executor holds for the next chunks of a batch: `{ perClass, maxBytes }`.
   * Default: derived from the plans' statistics and chunks.
   */
  readonly vectors?: VectorOptions;
  /**
   * Instruction set of the native kernels: `baseline`, `avx2` or `avx512`. Default: the environment
   * variable NATIVE_ISA, otherwise the best of the machine.
   */
  readonly isa?: string;
  /**
   * Limits on waiting requests. Excess requests are rejected with ERR_RUNTIME_OVERLOADED. Default:
   * no limits.
   */
  readonly limits?: QueueLimits;
  /**
   * Measure the time from call to answer per plan and verb. Costs 0.1 µs per call, and 30 KiB per
   * plan and verb. Default false.
   */
  readonly latencies?: boolean | LatencyOptions;
  /** Measure the delay of timers in this thread until `close()`. Default false. */
  readonly eventLoopLag?: boolean;
  /**
   * Cache for results of stages that several plans share, looked up by their input. Default: 16
   * MiB; false disables it.
   */
  readonly materialization?: MaterializationOptions | false;
  /** Other runtimes that run black boxes, for example `[onnxruntimeBackend()]`. Default: none. */
  readonly backends?: readonly Backend[];
  /**
   * The assumed speed of the device, and the number of its parallel calls. Used by plans that are
   * registered with `device`.
   */
  readonly device?: DeviceOptions;
  /**
   * ES modules that define operators with `deadlineMs`, as URLs:
   * `new URL('./operators.js', import.meta.url)`.
   *
   * Plans with such operators run on worker threads, which import these modules. Executors import
   * them too, for batches of plans with other operators from these modules.
   */
  readonly operatorModules?: readonly (string | URL)[];
  /**
   * Number of worker threads for such operators, at least 1. They start on first use. Default 1.
   */
  readonly operatorThreads?: number;
  /**
   * Largest JavaScript heap in bytes of each worker thread that runs custom operators or plans in
   * JavaScript; at least 64 MiB. A thread that needs more is lost with its call, and the process
   * continues. Buffers and typed arrays do not count. Default: Node's limit, some gigabytes.
   */
  readonly workerHeapBytes?: number;
  /**
   * Run plans on the calling thread, ignore deadlines of operators, and start no worker threads.
   * For tools. Default false.
   */
  readonly isolated?: boolean;
  /**
   * Clock for deadlines, delays and rests. Pass a manual clock in your tests, to test a service
   * without waiting. Default: the clock of the process.
   */
  readonly clock?: Clock;
}

/**
 * The operators and the lowering that a runtime uses. Without `lowering`, no stage runs on a
 * device.
 */
export interface OperatorParts {
  readonly kernels: KernelTable;
  readonly lowering?: PlanLowering;
}

/**
 * Creates a runtime.
 *
 * @throws ERR_RUNTIME_OPTION for an option out of range, or without a store.
 */
export function runtimeOver({ kernels, lowering }: OperatorParts, options: RuntimeOptions): Runtime {
  const {
    store,
    native = true,
    isa = process.env.NATIVE_ISA,
    operatorModules,
    operatorThreads = 1,
    workerHeapBytes,
    isolated = false,
    ...others
  } = { ...options, store: checkedStore(options?.store) };
  const addon = native && store.memory.kind === 'native' ? loadNative().addon : undefined;
  const { deadlineMs: _, ...withoutDeadlines } = kernels;
  const table = isolated ? withoutDeadlines : kernels;
  const workers = {
    worker: new URL('./plan-worker.js', import.meta.url),
    modules: operatorModules?.map(String) ?? [],
    heapBytes: workerHeapBytes,
    native: addon !== undefined,
    isa,
  };
  const isolation = operatorModules && { ...workers, threads: operatorThreads };
  const module = require.resolve('@brezel/native');
  const parts = {
    store,
    kernels: table,
    native: addon,
    addon: module,
    isa,
    isolation,
    workers: isolated ? undefined : workers,
  };
  return new Runtime({ ...parts, lowering, ...others });
}
