import { optionNames } from '@brezel/core';
import { checkInteger, LEAST_CACHE_BYTES } from '../../plans/option-ranges.js';

/** The memory limit of a prediction cache. */
export interface CacheOptions {
  /**
   * The maximal estimated memory of all cached rows and answers in bytes, at least 1024. The least
   * recently used entries are evicted first.
   */
  readonly maxBytes: number;
}

/** The names of the options of a prediction cache. */
export const cacheOptionNames = optionNames<CacheOptions>({ maxBytes: true });

/**
 * Checks the options of a prediction cache.
 * @throws ERR_RUNTIME_OPTION for an option out of range.
 */
export function checkedCache(at: string, options: CacheOptions | undefined): CacheOptions | undefined {
  if (options !== undefined) checkInteger(at, 'cache.maxBytes', options.maxBytes, LEAST_CACHE_BYTES);
  return options;
}
