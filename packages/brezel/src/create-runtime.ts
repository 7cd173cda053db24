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

// A runtime with the addon and worker threads, over the operators that it is handed.

const require = createRequire(import.meta.url);

export interface RuntimeOptions {
  /** The store that holds the plans' parameters: `flour.store`. */
  readonly store: ObjectStore;
  /** False: run in JavaScript, as where no addon loads. Default: native where the store is. */
  readonly native?: boolean;
  /**
   * Worker threads that answer batches, started with the first one that pays; as many again for plans that run in JavaScript. 0: everything runs on the
   * calling thread. Default: as many as this process may use cores.
   */
  readonly executors?: number;
  /** Memory that each executor keeps for the next chunks of a batch: `{ perClass, maxBytes }`. Default: what the plans' statistics and chunks ask for. */
  readonly vectors?: VectorOptions;
  /** Instruction set of the native kernels: `baseline`, `avx2` or `avx512`. Default: the best of the machine, or the environment variable NATIVE_ISA. */
  readonly isa?: string;
  /** How much may wait for an answer at once; more is refused with ERR_RUNTIME_OVERLOADED. Default: any number of rows. */
  readonly limits?: QueueLimits;
  /** Measures the time from call to answer, a plan and a verb. Default: not; it takes 0.1 µs a measured call and 30 KiB a plan and verb. */
  readonly latencies?: boolean | LatencyOptions;
  /** Watches how late timers of this thread are, from now until `close()`. Default: not. */
  readonly eventLoopLag?: boolean;
  /** Results of stages that several plans share are kept, and found again by their input. Default: in 16 MiB; false: none are. */
  readonly materialization?: MaterializationOptions | false;
  /** Other runtimes that run black boxes, e.g. `[onnxruntimeBackend()]`. Default: none. */
  readonly backends?: readonly Backend[];
  /** What the device is taken for where plans are registered for one, and how many calls it gets at once. */
  readonly device?: DeviceOptions;
  /**
   * ES modules that define operators with `deadlineMs`, as URLs: `new URL('./operators.js', import.meta.url)`. Plans with such operators run on worker
   * threads, which import these modules, beside Brezel itself. So do executors, for batches of plans with other operators that the modules define.
   */
  readonly operatorModules?: readonly (string | URL)[];
  /** Worker threads for them, from 1; made when they are needed. Default 1. */
  readonly operatorThreads?: number;
  /**
   * Most bytes of the JavaScript heap of each worker thread that runs operators of users or plans in JavaScript, from 64 MiB. A thread that needs more is lost
   * with its call, and the process goes on. Buffers and typed arrays do not count. Default: Node's own, some gigabytes.
   */
  readonly workerHeapBytes?: number;
  /** Deadlines of operators do not count: plans run here, and nobody ends them, and no worker threads are started. For tools. Default false. */
  readonly isolated?: boolean;
  /**
   * Time source of deadlines, delays and rests. Pass one that your tests move, to test a service without waiting.
   * Default: the clock of the process.
   */
  readonly clock?: Clock;
}

/** What a runtime knows of operators; without `lowering` no stage goes to a device. */
export interface OperatorParts {
  readonly kernels: KernelTable;
  readonly lowering?: PlanLowering;
}

/** @throws ERR_RUNTIME_OPTION for an option out of its range, and without a store. */
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
