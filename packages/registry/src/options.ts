import { checkOptionNames, type InputPort, type OptionNames, type OutputPort, optionNames } from '@brezel/core';
import {
  type BatchOptions,
  type CallOptions,
  contributionOptionNames,
  type EngineName,
  type RegisteredPlan,
  type RegisterOptions,
  registerOptionNames,
} from '@brezel/runtime';
import { registryError } from './errors.js';
import type { AliasStatistics } from './statistics.js';

/** Options of a registry: memory limit, quarantine and load timeout. */
export interface RegistryOptions {
  /**
   * The maximal number of bytes of all parameters in the runtime. A shared parameter counts once.
   * If a new version exceeds the limit, the registry unloads the least recently used versions.
   * During a load, memory may exceed the limit by the bytes of the new version. Default: no limit.
   */
  readonly memoryBudgetBytes?: number;
  /**
   * The number of consecutive failures that start a quarantine. Invalid rows do not count. Default
   * 5.
   */
  readonly quarantineAfter?: number;
  /**
   * Milliseconds from the last failure until a version in quarantine is tried again. Default
   * 30,000.
   */
  readonly quarantineMs?: number;
  /**
   * A load fails after this many milliseconds. Waiting for an import thread does not count, up to
   * the same number of milliseconds. A load that gets no thread therefore fails after twice this
   * time. Default 60 s.
   */
  readonly loadTimeoutMs?: number;
  /**
   * Whether a load also prepares the plan for its first predictions: it waits until the pages of
   * the fleet file are in memory, and then calls `warm` of the runtime. The first request to the
   * version, and an alias that moves to the version, wait for both. Default false.
   */
  readonly warm?: boolean;
}

/**
 * Options of `add`, which adds a version to a registry. They include all options of `register`
 * except the name.
 */
export interface AddOptions extends Omit<RegisterOptions, 'name'> {
  /** The new version. Default: the largest integer version plus one. */
  readonly version?: string | number;
  /**
   * True excludes the version from unloading when the registry exceeds its memory limit. Default
   * false.
   */
  readonly pin?: boolean;
  /**
   * Aliases that will point to this version. For the first version of a model, the alias `default`
   * is added.
   */
  readonly aliases?: readonly string[];
}

/** Options that select the version of a request. */
export interface RouteOptions {
  /**
   * A key for the caller, for example a user id. During a canary, all requests with the same
   * key go to the same version.
   */
  readonly key?: string | number;
}

/**
 * Options of one request. The deadline and the signal also limit the wait for a load. If the wait
 * ends, the load continues for other callers.
 */
export interface RouteCallOptions extends RouteOptions, RowCallOptions {}

/** Options of one row on one version. */
export interface RowCallOptions extends CallOptions {
  /** Without contributions, the result is the answer alone. See `WithContributions`. */
  readonly contributions?: false | undefined;
}

/** Options of a batch on one version. */
export interface BatchCallOptions extends RowCallOptions {
  readonly engine?: EngineName;
}

/** Options of `predictBatch` of an alias or a version. */
export interface RouteBatchOptions extends RouteCallOptions, BatchCallOptions {}

/** Options of `predictManyBatch`. */
export interface RouteManyOptions extends RouteOptions, CallOptions {
  readonly engine?: EngineName;
}

/** Options of `predictSync` of an alias or a version. */
export interface RoutePredictOptions extends RouteOptions {
  /**
   * An array for the numbers of the answer; see `Runtime.predictSync`. All versions of the alias
   * should have the same outputs.
   */
  readonly out?: Float64Array;
}

/**
 * Options of `canary`: the canary version of an alias and the percentage of the requests that it
 * receives.
 */
export interface CanaryOptions {
  /** The canary: the version that receives `percent` % of the requests. */
  readonly to: string | number;
  /** The percentage of the requests that go to the canary, from 0 to 100. */
  readonly percent: number;
}

/**
 * Options of `shadow`: the shadow version of an alias, and the rows that this version also runs.
 */
export interface ShadowOptions {
  /** The version that also receives the sampled rows. Callers never receive its answers. */
  readonly to: string | number;
  /** The fraction of the rows that also go to the shadow, from 0 to 1. Default 1. */
  readonly sample?: number;
  /**
   * The maximal number of shadow requests in flight. Further requests are not sent to the shadow.
   * Default 4.
   */
  readonly concurrency?: number;
}

/**
 * Options that limit how long requests in flight may continue when a version is removed or the
 * registry closes.
 */
export interface DrainOptions {
  /** Milliseconds for which requests in flight may continue. Default 10,000. */
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
  /** Returns the JSON Schemas of rows and answers, like the method `RegisteredPlan.jsonSchema`. */
  readonly jsonSchema: RegisteredPlan['jsonSchema'];
}

/** The versions and aliases of a model. */
export interface ModelDescription {
  readonly name: string;
  readonly versions: readonly string[];
  readonly aliases: readonly AliasStatistics[];
}

/** The names of the options of `PlanRegistry`. */
export const registryOptionNames = optionNames<RegistryOptions>({
  memoryBudgetBytes: true,
  quarantineAfter: true,
  quarantineMs: true,
  loadTimeoutMs: true,
  warm: true,
});

const { name: _, ...registerNames } = registerOptionNames;

/** The names of the options of `register`, without the name of the plan. */
export const plainRegisterNames: OptionNames = registerNames;
const route = { key: true } as const;
const limits = { deadlineMs: true, signal: true } as const;
const call = { ...limits, contributions: contributionOptionNames } as const;
const routeCall = { ...route, ...call } as const;

/** The names of the options of `Route.load`, `Route.predict` and `Route.predictBatch`. */
export const verbOptions = {
  load: optionNames<CallOptions>(limits),
  predict: optionNames<RowCallOptions>(call),
  predictBatch: optionNames<BatchCallOptions>({ ...call, engine: true }),
  predictColumns: optionNames<BatchOptions>({ ...limits, engine: true }),
} as const;

/** The names of the options of the methods of a registry. */
export const methodOptions = {
  add: optionNames<AddOptions>({
    ...(registerNames as Record<keyof RegisterOptions, true>),
    version: true,
    pin: true,
    aliases: true,
  }),
  resolve: optionNames<RouteOptions>(route),
  route: optionNames<RouteOptions>(route),
  predictSync: optionNames<RoutePredictOptions>({ ...route, out: true }),
  predict: optionNames<RouteCallOptions>(routeCall),
  predictBatch: optionNames<RouteBatchOptions>({ ...routeCall, engine: true }),
  predictManyBatch: optionNames<RouteManyOptions>({ ...route, ...limits, engine: true }),
  canary: optionNames<CanaryOptions>({ to: true, percent: true }),
  shadow: optionNames<ShadowOptions>({ to: true, sample: true, concurrency: true }),
  remove: optionNames<DrainOptions>({ drainMs: true }),
  close: optionNames<DrainOptions>({ drainMs: true }),
} as const;

/**
 * Checks the names of the options of a call.
 * @throws ERR_REGISTRY_OPTION for an unknown option. The error suggests the known option with the
 * most similar name.
 */
export const checkRegistryOptions = (options: unknown, names: OptionNames, at: string): void =>
  checkOptionNames(options, names, (details) => registryError('ERR_REGISTRY_OPTION', details), at);

/** The longest delay that Node's timers support, in milliseconds. */
export const GREATEST_MS = 2 ** 31 - 1;

/**
 * Checks the range of an option and returns its value.
 * @throws ERR_REGISTRY_OPTION
 */
export function within(option: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const expected = `${option} from ${least} to ${most}`;
  throw registryError('ERR_REGISTRY_OPTION', { expected, received: `${value}` });
}

/**
 * Checks the options of a registry and adds their defaults.
 * @throws ERR_REGISTRY_OPTION
 */
export function checkedRegistry(options: RegistryOptions) {
  checkRegistryOptions(options, registryOptionNames, 'the registry');
  const { memoryBudgetBytes = Infinity, quarantineAfter = 5, quarantineMs = 30_000, loadTimeoutMs = 60_000 } = options;
  const { warm = false } = options;
  if (typeof warm !== 'boolean')
    throw registryError('ERR_REGISTRY_OPTION', { expected: 'warm true or false', received: String(warm) });
  return {
    warm,
    budgetBytes: within('memoryBudgetBytes', memoryBudgetBytes, 0, Infinity),
    loadTimeoutMs: within('loadTimeoutMs', loadTimeoutMs, 0, GREATEST_MS),
    quarantine: {
      failures: within('quarantineAfter', quarantineAfter, 1, Infinity),
      restMs: within('quarantineMs', quarantineMs, 0, GREATEST_MS),
    },
  };
}
