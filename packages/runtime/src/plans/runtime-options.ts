import { availableParallelism } from 'node:os';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../errors.js';
import type { MaterializationOptions } from '../features/cache/materialization.js';
import type { LatencyOptions } from '../telemetry/latencies.js';

import { checkInteger, LEAST_CACHE_BYTES } from './option-ranges.js';

const DEFAULT_MATERIALIZATION_BYTES = 16 * 2 ** 20;
const DEFAULT_SAMPLE_EVERY = 8;
const GREATEST_SAMPLE_EVERY = 1000;
const GREATEST_DRAIN_MS = 2 ** 31 - 1;
const GREATEST_EXECUTORS = 1024;

/**
 * Checks `drainMs`.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkedDrain(drainMs: number): void {
  checkInteger('close', 'drainMs', drainMs, 0, GREATEST_DRAIN_MS);
}

/**
 * Checks the number of executors. Default: one less than the cores that this process may use, at
 * least 1. With more executors, the event loop would have no core for itself (ADR 10).
 * @throws ERR_RUNTIME_OPTION
 */
export function checkedExecutors(executors: number = Math.max(1, availableParallelism() - 1)): number {
  checkInteger('createRuntime', 'executors', executors, 0, GREATEST_EXECUTORS);
  return executors;
}

/**
 * The default of `executorNice`. With 5 steps, the event loop gets about three times as much CPU
 * time as an executor that shares a core with it.
 */
const DEFAULT_NICE = 5;
const GREATEST_NICE = 19;

/**
 * Checks the option `executorNice` and adds its default.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkedNice(nice: number = DEFAULT_NICE): number {
  checkInteger('createRuntime', 'executorNice', nice, 0, GREATEST_NICE);
  return nice;
}

/**
 * How often calls and stages are measured: one in `sampleEvery` calls, and the stages of one in
 * `stagesEvery` rows or blocks.
 */
export interface Sampling {
  readonly sampleEvery: number;
  readonly stagesEvery: number | undefined;
}

/**
 * Checks the option `latencies`. Returns how often predictions are measured, or undefined if they
 * are not measured.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkedSampling(latencies: boolean | LatencyOptions = false): Sampling | undefined {
  if (latencies === false) return undefined;
  const { sampleEvery = DEFAULT_SAMPLE_EVERY, stagesEvery }: LatencyOptions = latencies === true ? {} : latencies;
  checkInteger('createRuntime', 'latencies.sampleEvery', sampleEvery, 1, GREATEST_SAMPLE_EVERY);
  if (stagesEvery !== undefined)
    checkInteger('createRuntime', 'latencies.stagesEvery', stagesEvery, 1, GREATEST_SAMPLE_EVERY);
  return { sampleEvery, stagesEvery };
}

/**
 * Checks the store and returns it.
 * @throws ERR_RUNTIME_OPTION for a value that is not a store.
 */
export function checkedStore(store: ObjectStore | undefined): ObjectStore {
  if (store?.memory !== undefined) return store;
  const expected = 'store, an ObjectStore: createRuntime({ store: flour.store })';
  throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: typeof store, at: 'createRuntime' });
}

/**
 * Checks the option `materialization`. Returns the maximal bytes of cached stage results, or
 * undefined if the option is false.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkedMaterialization(options: MaterializationOptions | false = {}): number | undefined {
  if (options === false) return undefined;
  const at = 'createRuntime';
  if (typeof options !== 'object' || options === null) {
    const expected = 'materialization, an object or false';
    throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(options), at });
  }
  const { maxBytes = DEFAULT_MATERIALIZATION_BYTES } = options;
  checkInteger(at, 'materialization.maxBytes', maxBytes, LEAST_CACHE_BYTES);
  return maxBytes;
}
