import type { InputPort, OutputPort } from '@brezel/core';
import type { CallOptions, RegisteredPlan, RegisterOptions } from '@brezel/runtime';
import { registryError } from './errors.js';
import type { AliasStatistics } from './statistics.js';

export interface RegistryOptions {
  /**
   * Most bytes of parameters in the runtime, shared ones counted once. What was not used for
   * longest is unloaded to make room. Default: no limit. While a version loads, its bytes come on
   * top.
   */
  readonly memoryBudgetBytes?: number;
  /** Failures in a row, not by the rows' fault, after which a version rests. Default 5. */
  readonly quarantineAfter?: number;
  /** How long it rests before it is tried again. Default 30 s. */
  readonly quarantineMs?: number;
  /** How long a source may take. Default 60 s. */
  readonly loadTimeoutMs?: number;
}

export interface AddOptions extends Omit<RegisterOptions, 'name'> {
  /** Default: the integer after the greatest one. */
  readonly version?: string | number;
  /** Never unload it to make room. Default false. */
  readonly pin?: boolean;
  /**
   * Aliases that are to mean it from now on. The first version of a model is its `default` in any
   * case.
   */
  readonly aliases?: readonly string[];
}

export interface RouteOptions {
  /** Who asks, a user's id say: one key is always answered by one side of a canary. */
  readonly key?: string | number;
}

/** Deadline and signal hold for the load, too; it goes on for others who wait for it. */
export interface RouteCallOptions extends RouteOptions, CallOptions {}

export interface RoutePredictOptions extends RouteOptions {
  /**
   * An array for the numbers of the answer, see `Runtime.predictSync`: the versions of the alias
   * should have the same outputs.
   */
  readonly out?: Float64Array;
}

export interface CanaryOptions {
  readonly to: string | number;
  /** Share of the requests, from 0 to 100. */
  readonly percent: number;
}

export interface ShadowOptions {
  readonly to: string | number;
  /** Share of the rows that are sent to the shadow, too, from 0 to 1. Default 1. */
  readonly sample?: number;
  /**
   * Requests to the shadow that may be under way at once; what comes meanwhile is dropped. Default
   * 4.
   */
  readonly concurrency?: number;
}

export interface DrainOptions {
  /** How long requests in flight may go on. Default 10 s. */
  readonly drainMs?: number;
}

/** What a version takes and gives. */
export interface VersionDescription {
  /** `name@version`. */
  readonly version: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** Numbers that one row writes into an out-array. */
  readonly width: number;
  readonly engine: RegisteredPlan['engine'];
}

/** What there is of a model. */
export interface ModelDescription {
  readonly name: string;
  readonly versions: readonly string[];
  readonly aliases: readonly AliasStatistics[];
}

/** What timers can wait. */
export const GREATEST_MS = 2 ** 31 - 1;

/** @throws ERR_REGISTRY_OPTION */
export function within(option: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const expected = `${option} from ${least} to ${most}`;
  throw registryError('ERR_REGISTRY_OPTION', { expected, received: `${value}` });
}

/** Options of a registry with their defaults. @throws ERR_REGISTRY_OPTION */
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
