import { optionNames } from '@brezel/core';
import { BLOCK_ROWS } from '../../execute/batch.js';
import { checkInteger } from '../../plans/option-ranges.js';

/**
 * Options of delayed batching, which gathers the rows of many `predict` calls into one block.
 * Delayed batching increases the throughput and adds a short delay.
 */
export interface BatchingOptions {
  /**
   * How long the first row of a block waits for more rows, in whole milliseconds from 0 to 1000.
   * With 0, the row waits until the end of this turn of the event loop.
   */
  readonly maxDelayMs: number;
  /** The number of rows with which a block starts immediately, 1 to 256. Default 64. */
  readonly maxBatch?: number;
}

/** The names of the options of delayed batching. */
export const batchingOptionNames = optionNames<BatchingOptions>({ maxDelayMs: true, maxBatch: true });

const GREATEST_DELAY_MS = 1000;
const DEFAULT_MAX_BATCH = 64;

/**
 * Checks the options of delayed batching and adds their defaults.
 * @throws ERR_RUNTIME_OPTION for an option out of range.
 */
export function checkedBatching(
  at: string,
  options: BatchingOptions | undefined,
): Required<BatchingOptions> | undefined {
  if (options === undefined) return undefined;
  const batching = { maxBatch: DEFAULT_MAX_BATCH, ...options };
  checkInteger(at, 'batching.maxDelayMs', batching.maxDelayMs, 0, GREATEST_DELAY_MS);
  checkInteger(at, 'batching.maxBatch', batching.maxBatch, 1, BLOCK_ROWS);
  return batching;
}
