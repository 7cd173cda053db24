import type { CacheOptions } from './cache/cached-plan.js';
import { DEFAULT_MAX_INPUT_BYTES, GREATEST_MAX_INPUT_BYTES, runtimeError } from './errors.js';

export interface RegisterOptions {
  readonly name?: string;
  /** Longest text of a row, in UTF-8 bytes. Default 16 MiB. */
  readonly maxInputBytes?: number;
  /** Keeps answers by their rows: a row that came before is not run again. Default: nothing is kept. */
  readonly cache?: CacheOptions;
}

const LEAST_CACHE_BYTES = 1024;

/** Options with their defaults. @throws ERR_RUNTIME_OPTION for one out of range. */
export function checkedOptions(planName: string, options: RegisterOptions) {
  const { name = planName, maxInputBytes = DEFAULT_MAX_INPUT_BYTES, cache } = options;
  checkInteger(name, 'maxInputBytes', maxInputBytes, 0, GREATEST_MAX_INPUT_BYTES);
  if (cache !== undefined) checkInteger(name, 'cache.maxBytes', cache.maxBytes, LEAST_CACHE_BYTES);
  return { name, maxInputBytes, cache };
}

function checkInteger(at: string, option: string, value: number, least: number, greatest = Infinity): void {
  if (Number.isSafeInteger(value) && value >= least && value <= greatest) return;
  const range = greatest === Infinity ? `an integer from ${least}` : `from ${least} to ${greatest}`;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${option} ${range}`, received: String(value), at });
}
