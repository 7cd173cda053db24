import { optionNames } from '@brezel/core';
import { checkInteger } from '../../plans/option-ranges.js';

/** Options of quarantine: after how many failures a plan is quarantined, and for how long. */
export interface QuarantineOptions {
  /**
   * The number of consecutive failures that start a quarantine, at least 1. Invalid rows do not
   * count. Default 5.
   */
  readonly failures?: number;
  /**
   * The duration of a quarantine in milliseconds, up to 2^31 - 1. After the quarantine, one call
   * may try the plan again. Default 30 000.
   */
  readonly restMs?: number;
}

/** The names of the options of quarantine. */
export const quarantineOptionNames = optionNames<QuarantineOptions>({ failures: true, restMs: true });

const DEFAULT_FAILURES = 5;
const DEFAULT_REST_MS = 30_000;
/** The longest delay that Node's timers support, in milliseconds. */
const GREATEST_REST_MS = 2 ** 31 - 1;

/**
 * Checks the options of quarantine and adds their defaults.
 * @throws ERR_RUNTIME_OPTION for an option out of range.
 */
export function checkedQuarantine(
  at: string,
  options: QuarantineOptions | undefined,
): Required<QuarantineOptions> | undefined {
  if (options === undefined) return undefined;
  const quarantine = { failures: DEFAULT_FAILURES, restMs: DEFAULT_REST_MS, ...options };
  checkInteger(at, 'quarantine.failures', quarantine.failures, 1);
  checkInteger(at, 'quarantine.restMs', quarantine.restMs, 0, GREATEST_REST_MS);
  return quarantine;
}
