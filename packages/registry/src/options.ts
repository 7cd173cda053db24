import type { InputPort, OutputPort } from '@brezel/core';
import type { CallOptions, RegisteredPlan, RegisterOptions } from '@brezel/runtime';
import { registryError } from './errors.js';
import type { AliasStatistics } from './statistics.js';

export interface RegistryOptions {
  /**
   * The largest number of parameter bytes in the runtime; shared parameters count once. The least
   * recently used versions are unloaded to make room. While a version loads, its bytes can exceed
   * the limit. Default: no limit.
   */
  readonly memoryBudgetBytes?: number;
  /**
   * The number of failures in a row that start a quarantine; invalid rows do not count. Default 5.
   */
  readonly quarantineAfter?: number;
  /** Length of a quarantine before the next attempt, in milliseconds. Default 30 s. */
  readonly quarantineMs?: number;
  /** The longest time that a source may load, in milliseconds. Default 60 s. */
  readonly loadTimeoutMs?: number;
}

export interface AddOptions extends Omit<RegisterOptions, 'name'> {
  /** Default: the integer after the largest version. */
  readonly version?: string | number;
  /** Whether the version is never unloaded to make room. Default false. */
  readonly pin?: boolean;
  /** Aliases to set to this version. The first version of a model always becomes its `default`. */
  readonly aliases?: readonly string[];
}

export interface RouteOptions {
  /**
   * Identifies the caller, for example by a user id. All requests with one key get the same side of
   * a canary.
   */
  readonly key?: string | number;
}

/**
 * Options of one request. The deadline and the signal also apply to the wait for a load; the load
 * continues for other callers.
 */
export interface RouteCallOptions extends RouteOptions, CallOptions {}

export interface RoutePredictOptions extends RouteOptions {
  /**
   * An array for the numbers of the answer, see `Runtime.predictSync`. All versions of the alias
   * should have the same outputs.
   */
  readonly out?: Float64Array;
}

export interface CanaryOptions {
  readonly to: string | number;
  /** Share of the requests that the canary gets, in percent from 0 to 100. */
  readonly percent: number;
}

export interface ShadowOptions {
  readonly to: string | number;
  /** Share of the rows that are also sent to the shadow, from 0 to 1. Default 1. */
  readonly sample?: number;
  /**
   * The largest number of requests to the shadow in flight; further requests are dropped. Default
   * 4.
   */
  readonly concurrency?: number;
}

export interface DrainOptions {
  /** How long requests in flight may continue, in milliseconds. Default 10 s. */
  readonly drainMs?: number;
}

/** The inputs and outputs of a version. */
export interface VersionDescription {
  /** The version as `name@version`. */
  readonly version: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** The number of values that one row writes into an out-array. */
  readonly width: number;
  readonly engine: RegisteredPlan['engine'];
}

/** The versions and aliases of a model. */
export interface ModelDescription {
  readonly name: string;
  readonly versions: readonly string[];
  readonly aliases: readonly AliasStatistics[];
}

/** The longest delay of a timer, in milliseconds. */
export const GREATEST_MS = 2 ** 31 - 1;

/**
 * Returns the value of an option after a check of its range.
 * @throws ERR_REGISTRY_OPTION
 */
export function within(option: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const expected = `${option} from ${least} to ${most}`;
  throw registryError('ERR_REGISTRY_OPTION', { expected, received: `${value}` });
}

/**
 * Returns the options of a registry with their defaults.
 * @throws ERR_REGISTRY_OPTION
 */
export function checkedRegistry({
  memoryBudgetBytes = Infinity,
  quarantineAfter = 5,
  quarantineMs = 30_000,
  loadTimeoutMs = 60_000,
}: RegistryOptions) {
  return {
    budgetBytes: within('memoryBudgetBytes', memoryBudgetBytes, 0, Infinity),
    loadTimeoutMs: within('loadTimeoutMs', loadTimeoutMs, 0, GREATEST_MS),
    quarantine: {
      failures: within('quarantineAfter', quarantineAfter, 1, Infinity),
      restMs: within('quarantineMs', quarantineMs, 0, GREATEST_MS),
    },
  };
}
