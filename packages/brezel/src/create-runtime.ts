import { createRequire } from 'node:module';
import { type Backend, type Clock, type KernelTable, optionNames, type PlanLowering } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import {
  checkedStore,
  checkRuntimeOptions,
  type DeviceOptions,
  type LatencyOptions,
  type MaterializationOptions,
  type QueueLimits,
  Runtime,
  runtimeError,
  runtimeOptionNames,
  type VectorOptions,
} from '@brezel/runtime';
import { isBundled } from './is-bundled.js';
import { checkNativeStore, loadNative } from './native-store.js';
import { wasmKernels } from './wasm/thread-kernels.js';

// Creates a runtime with the addon and worker threads, for a given set of operators.

const require = createRequire(import.meta.url);

/** Options of `createRuntime`. */
export interface RuntimeOptions {
  /** The store with the plans' parameters: `flour.store`. */
  readonly store: ObjectStore;
  /**
   * `false` runs plans in WebAssembly, as on a machine without the addon. `true` requires the
   * addon: without it, or with a store in JavaScript memory, the call fails with
   * ERR_NATIVE_MISSING. Default: the addon runs plans if the store is in the addon's memory.
   */
  readonly native?: boolean;
  /**
   * The number of worker threads for batches of native plans. The threads start with the first
   * batch that is large enough. Plans that do not run completely in the addon use other threads, at
   * most the same number. With 0, everything runs on the calling thread. Default: one less than the
   * cores that this process may use, at least 1.
   */
  readonly executors?: number;
  /**
   * Lowers the priority of the shared executors by this `nice` value, 0 to 19. The event loop then
   * runs first when cores are scarce. Reserved executors keep the priority of the process. The
   * option works only on Linux: on other systems, a priority applies to the whole process. Default:
   * 5.
   */
  readonly executorNice?: number;
  /**
   * Limits the memory of the pooled vectors that each executor caches for later chunks:
   * `{ perClass, maxBytes }`. Default: 16 vectors of each size class, and no limit in bytes.
   */
  readonly vectors?: VectorOptions;
  /**
   * Instruction set of the native kernels: `baseline`, `avx2` or `avx512`. Default: the environment
   * variable NATIVE_ISA, otherwise the fastest one of the machine.
   */
  readonly isa?: string | undefined;
  /**
   * Limits on waiting requests. Excess requests are rejected with ERR_RUNTIME_OVERLOADED. Default:
   * no limits.
   */
  readonly limits?: QueueLimits;
  /**
   * Measures the time from call to answer for each plan and verb. With this option, a call takes
   * 0.1 µs longer, and each plan and verb takes 30 KiB. Default false.
   */
  readonly latencies?: boolean | LatencyOptions;
  /** Measures how late timers of this thread fire, until `close()`. Default false. */
  readonly eventLoopLag?: boolean;
  /**
   * Limits the cache for results of stages that several plans share. Default: 16 MiB. False
   * disables the cache.
   */
  readonly materialization?: MaterializationOptions | false;
  /** Other runtimes that run black boxes, for example `[onnxruntimeBackend()]`. Default: none. */
  readonly backends?: readonly Backend[];
  /**
   * Options of the device: its assumed speed, the maximal number of concurrent calls and others.
   * They apply to plans that are registered with `device`.
   */
  readonly device?: DeviceOptions;
  /**
   * URLs of ES modules that define custom operators: `new URL('./operators.js', import.meta.url)`.
   * Worker threads import these modules, because functions cannot be sent to another thread.
   *
   * Required for operators with `deadlineMs`: plans with such an operator run on worker threads.
   * For other custom operators, the option lets large batches run on worker threads.
   */
  readonly operatorModules?: readonly (string | URL)[];
  /**
   * The number of worker threads for operators with `deadlineMs`, at least 1. The threads start on
   * first use. Default 1.
   */
  readonly operatorThreads?: number;
  /**
   * Maximal JavaScript heap of each worker thread for custom operators or plans in JavaScript, in
   * bytes; at least 64 MiB. If a thread needs more, the thread ends and its call fails, but the
   * process continues. Buffers and typed arrays do not count. Default: Node's limit, some
   * gigabytes.
   */
  readonly workerHeapBytes?: number;
  /**
   * True runs all JavaScript of plans on the calling thread, without worker threads for custom
   * operators, and ignores deadlines of operators. Large batches of native plans still run on
   * executors, unless `executors` is 0. Command-line tools use this option. Default false.
   */
  readonly isolated?: boolean;
  /**
   * Clock for deadlines, delays, cool-downs, latencies and slices of batches. Your tests can pass a
   * manual clock, so that they need not wait. Default: the clock of the process.
   */
  readonly clock?: Clock;
}

const optionsOfRuntime = optionNames<RuntimeOptions>({
  ...runtimeOptionNames,
  store: true,
  native: true,
  executors: true,
  executorNice: true,
  isa: true,
  eventLoopLag: true,
  backends: true,
  operatorModules: true,
  operatorThreads: true,
  workerHeapBytes: true,
  isolated: true,
  clock: true,
});

/**
 * The operators that a runtime supports, and optionally the functions that prepare stages for
 * devices. Without `lowering`, all stages run on the CPU.
 */
export interface OperatorParts {
  readonly kernels: KernelTable;
  readonly lowering?: PlanLowering;
}

/**
 * Creates a runtime for a set of operators.
 *
 * @throws ERR_RUNTIME_OPTION for an option out of range, or without a store; ERR_NATIVE_MISSING.
 */
export function runtimeOver({ kernels, lowering }: OperatorParts, options: RuntimeOptions): Runtime {
  checkRuntimeOptions(options ?? {}, optionsOfRuntime, 'createRuntime');
  const {
    store,
    native,
    isa = process.env.NATIVE_ISA,
    operatorModules,
    operatorThreads = 1,
    workerHeapBytes,
    isolated = false,
    ...others
  } = { ...options, store: checkedStore(options?.store) };
  if (isBundled && operatorModules) throw operatorsInBundle();
  checkNativeStore(native, store, 'createRuntime');
  const addon = native !== false && store.memory.kind === 'native' ? loadNative().addon : undefined;
  const wasm = addon === undefined ? wasmKernels(store) : undefined;
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
    wasm,
    addon: module,
    isa,
    isolation,
    workers: isolated ? undefined : workers,
  };
  return new Runtime({ ...parts, lowering, ...others });
}

/**
 * Creates the error for the option `operatorModules` in an application that a bundler has built.
 * The module would import a second copy of Brezel and define its operators there. The copy inside
 * the bundle would not find them.
 */
const operatorsInBundle = () =>
  runtimeError('ERR_RUNTIME_OPTION', {
    expected: 'brezel from node_modules: leave brezel out of the bundle, as an external package',
    received: 'operatorModules in a program that a bundler built',
    at: 'createRuntime',
  });
