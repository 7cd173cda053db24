import { runtimeError } from '../errors.js';
import {
  DEFAULT_VECTORS_PER_CLASS,
  GREATEST_VECTOR_BYTES,
  GREATEST_VECTORS_PER_CLASS,
  type VectorLimits,
  type VectorOptions,
} from '../parallel/executors/vector-options.js';

/** The smallest size of a cache in bytes. */
export const LEAST_CACHE_BYTES = 1024;

/**
 * Checks an integer option.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkInteger(at: string, option: string, value: number, least: number, greatest = Infinity): void {
  if (Number.isSafeInteger(value) && value >= least && value <= greatest) return;
  const range = greatest === Infinity ? `an integer from ${least}` : `from ${least} to ${greatest}`;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${option} ${range}`, received: String(value), at });
}

/**
 * Checks the limits of the pooled vectors that executors cache, and adds their defaults.
 * @throws ERR_RUNTIME_OPTION
 */
export function checkedVectors(options: VectorOptions = {}, at = 'createRuntime', option = 'vectors'): VectorLimits {
  if (typeof options !== 'object' || options === null)
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${option}, an object`, received: String(options), at });
  const { perClass = DEFAULT_VECTORS_PER_CLASS, maxBytes } = options;
  checkInteger(at, `${option}.perClass`, perClass, 0, GREATEST_VECTORS_PER_CLASS);
  if (maxBytes !== undefined) checkInteger(at, `${option}.maxBytes`, maxBytes, 0, GREATEST_VECTOR_BYTES);
  return { perClass, maxBytes };
}
