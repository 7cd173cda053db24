import { type DeviceProfile, optionNames } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { checkInteger } from '../../plans/option-ranges.js';

/** Options of stages that run on a device. */
export interface LoweringOptions {
  /** The maximal number of rows in one call, from all gathered requests. Default 4096. */
  readonly maxBatch?: number;
  /**
   * The number of milliseconds that rows wait for more rows while the device is free. With 0
   * (default), they wait until the end of this turn of the event loop.
   */
  readonly maxDelayMs?: number;
  /**
   * The number of concurrent device calls that are reserved for this plan. The rows of this plan
   * are then not gathered with rows of other plans. Default 0.
   */
  readonly reserveCalls?: number;
  /**
   * Whether stages with discrete results, such as a label, may run on the device. If two labels
   * have nearly equal scores, the device may return another label than the CPU. Default false.
   */
  readonly mayJump?: boolean;
  /**
   * If true, only whole stages run on the device. By default, Brezel moves unsupported operators
   * out of a stage, and runs neighboring stages in one device call. With true, plans that share a
   * stage also share its device calls, even if their other stages differ. Default false.
   */
  readonly keepStages?: boolean;
}

/** The names of the options of stages that run on a device. */
export const loweringOptionNames = optionNames<LoweringOptions>({
  maxBatch: true,
  maxDelayMs: true,
  reserveCalls: true,
  mayJump: true,
  keepStages: true,
});

/** The profile and the limits of a device. */
export interface DeviceOptions {
  /**
   * The assumed speed of the device, from which Brezel estimates for how many rows the device is
   * faster. Default: a cautious profile of a data center GPU.
   */
  readonly profile?: DeviceProfile;
  /**
   * The maximal number of device calls in flight. Default 2: one call runs while the next one is
   * submitted.
   */
  readonly calls?: number;
  /**
   * The time in milliseconds after which a device counts as lost if it has not answered a call.
   * Default 10 000.
   */
  readonly timeoutMs?: number;
  /**
   * A failed stage runs on the CPU for this many milliseconds before it tries the device again.
   * Default 30 000.
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
/** The longest delay that Node's timers support, in milliseconds. */
const GREATEST_MS = 2 ** 31 - 1;

/**
 * Checks the options of a plan's device stages and adds their defaults.
 * @throws ERR_RUNTIME_OPTION for an invalid option.
 */
export function checkedLowering(at: string, options: LoweringOptions = {}): CheckedLowering {
  const {
    maxBatch = DEFAULT_MAX_BATCH,
    maxDelayMs = 0,
    reserveCalls = 0,
    mayJump = false,
    keepStages = false,
  } = options;
  checkInteger(at, 'lowering.maxBatch', maxBatch, 1, GREATEST_BATCH);
  checkInteger(at, 'lowering.maxDelayMs', maxDelayMs, 0, GREATEST_DELAY_MS);
  checkInteger(at, 'lowering.reserveCalls', reserveCalls, 0, GREATEST_CALLS);
  for (const [name, value] of Object.entries({ mayJump, keepStages }))
    if (typeof value !== 'boolean') throw outOfRange(at, `lowering.${name}, true or false`, value);
  return { maxBatch, maxDelayMs, reserveCalls, mayJump, keepStages };
}

/**
 * Checks the options of a device and adds their defaults.
 * @throws ERR_RUNTIME_OPTION for an invalid option.
 */
export function checkedDevice(options: DeviceOptions = {}): CheckedDevice {
  const { calls = DEFAULT_CALLS, timeoutMs = DEFAULT_TIMEOUT_MS, retryMs = DEFAULT_RETRY_MS, profile } = options;
  const at = 'createRuntime';
  checkInteger(at, 'device.calls', calls, 1, GREATEST_CALLS);
  checkInteger(at, 'device.timeoutMs', timeoutMs, 1, GREATEST_MS);
  checkInteger(at, 'device.retryMs', retryMs, 0, GREATEST_MS);
  for (const [name, value] of Object.entries(profile ?? {})) {
    const isFine = typeof value === 'number' && (name === 'callMicros' ? value >= 0 : value > 0);
    if (!isFine) throw outOfRange(at, `device.profile.${name}, a positive number`, value);
  }
  return { calls, timeoutMs, retryMs, ...(profile && { profile }) };
}

const outOfRange = (at: string, expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
