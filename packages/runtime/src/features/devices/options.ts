import type { DeviceProfile } from '@brezel/core';
import { runtimeError } from '../../errors.js';

/** How the stages of a plan are run on a device. */
export interface LoweringOptions {
  /** Most rows of one call, of all requests that are gathered. Default 4096. */
  readonly maxBatch?: number;
  /**
   * How long rows may wait for others while the device is free, in milliseconds. Default 0: for
   * what comes in the same turn of the event loop.
   */
  readonly maxDelayMs?: number;
  /**
   * Calls of the device that are this plan's alone; its rows are not gathered with those of other
   * plans then. Default 0.
   */
  readonly reserveCalls?: number;
  /** Lower stages whose decisions may turn out differently near a tie, too. Default false. */
  readonly mayJump?: boolean;
  /**
   * Lower stages as they are: neither cut out of them what the device can do, nor join neighbours
   * to one call. Then plans that have one of them in common gather its rows, whatever comes after
   * it. Default false.
   */
  readonly keepStages?: boolean;
}

/** What a runtime takes its device for. */
export interface DeviceOptions {
  /**
   * What decides from how many rows on the device is sooner. Default: a careful guess for a
   * data-centre GPU.
   */
  readonly profile?: DeviceProfile;
  /**
   * Calls that may be on their way to the device at once. Default 2: one runs, one is handed over.
   */
  readonly calls?: number;
  /** How long a call may take before the device counts as lost, in milliseconds. Default 10 000. */
  readonly timeoutMs?: number;
  /**
   * How long a stage that failed there stays on the CPU before the device is tried again, in
   * milliseconds. Default 30 000.
   */
  readonly retryMs?: number;
}

export type CheckedLowering = Required<LoweringOptions>;
export type CheckedDevice = Omit<Required<DeviceOptions>, 'profile'> & Pick<DeviceOptions, 'profile'>;

const DEFAULT_MAX_BATCH = 4096;
const GREATEST_BATCH = 65_536;
const GREATEST_DELAY_MS = 1000;
const DEFAULT_CALLS = 2;
const GREATEST_CALLS = 64;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_RETRY_MS = 30_000;
/** What timers can wait. */
const GREATEST_MS = 2 ** 31 - 1;

/** @throws ERR_RUNTIME_OPTION */
export function checkedLowering(at: string, options: LoweringOptions = {}): CheckedLowering {
  const {
    maxBatch = DEFAULT_MAX_BATCH,
    maxDelayMs = 0,
    reserveCalls = 0,
    mayJump = false,
    keepStages = false,
  } = options;
  checkRange(at, 'lowering.maxBatch', maxBatch, 1, GREATEST_BATCH);
  checkRange(at, 'lowering.maxDelayMs', maxDelayMs, 0, GREATEST_DELAY_MS);
  checkRange(at, 'lowering.reserveCalls', reserveCalls, 0, GREATEST_CALLS);
  for (const [name, value] of Object.entries({ mayJump, keepStages }))
    if (typeof value !== 'boolean') throw outOfRange(at, `lowering.${name}, true or false`, value);
  return { maxBatch, maxDelayMs, reserveCalls, mayJump, keepStages };
}

/** @throws ERR_RUNTIME_OPTION */
export function checkedDevice(options: DeviceOptions = {}): CheckedDevice {
  const { calls = DEFAULT_CALLS, timeoutMs = DEFAULT_TIMEOUT_MS, retryMs = DEFAULT_RETRY_MS, profile } = options;
  const at = 'createRuntime';
  checkRange(at, 'device.calls', calls, 1, GREATEST_CALLS);
  checkRange(at, 'device.timeoutMs', timeoutMs, 1, GREATEST_MS);
  checkRange(at, 'device.retryMs', retryMs, 0, GREATEST_MS);
  for (const [name, value] of Object.entries(profile ?? {})) {
    const isFine = typeof value === 'number' && (name === 'callMicros' ? value >= 0 : value > 0);
    if (!isFine) throw outOfRange(at, `device.profile.${name}, a positive number`, value);
  }
  return { calls, timeoutMs, retryMs, ...(profile && { profile }) };
}

function checkRange(at: string, option: string, value: unknown, least: number, greatest: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= greatest) return;
  throw outOfRange(at, `${option} from ${least} to ${greatest}`, value);
}

const outOfRange = (at: string, expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
