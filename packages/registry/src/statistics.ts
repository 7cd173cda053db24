import type { QualityStatistics } from '@brezel/core';
import { addQuality, type PlanStatistics, type Runtime } from '@brezel/runtime';
import type { Alias } from './alias.js';
import type { Model } from './models.js';
import type { Shadow } from './shadow.js';
import type { Version } from './version.js';

/** `resting`: in quarantine. `leaving`: removed, but requests are in flight. */
export type VersionState = 'unloaded' | 'loading' | 'loaded' | 'resting' | 'leaving';

/** Statistics of one version of a registry. */
export interface VersionStatistics {
  /** The version as `name@version`. */
  readonly version: string;
  /** The current state of the version. */
  readonly state: VersionState;
  /**
   * Whether the version is pinned: the registry never unloads a pinned version when it exceeds its
   * memory limit.
   */
  readonly pinned: boolean;
  /** Whether the plan of the version is in memory. */
  readonly loaded: boolean;
  /** Bytes of all parameters of the version at its last load; 0 before the first load. */
  readonly parameterBytes: number;
  /** Bytes of the parameters that no other plan uses; 0 while the version is not loaded. */
  readonly marginalBytes: number;
  /** Number of requests in flight. */
  readonly inFlight: number;
  /** Number of requests since the version was added. */
  readonly requests: number;
  /** Number of failed loads and predictions. Invalid rows do not count. */
  readonly failures: number;
  /** Number of successful loads. */
  readonly loads: number;
  /** Number of times that the version was unloaded. */
  readonly unloads: number;
  /** The state of the version's quarantine. */
  readonly quarantine: VersionQuarantine;
  /**
   * Counters of data quality since the version was added. Undefined without the option `quality`,
   * and before the first load.
   */
  readonly quality?: QualityStatistics;
}

/** The state of the quarantine of one version. */
export interface VersionQuarantine {
  /** Whether the version is in quarantine, so that requests fail immediately. */
  readonly resting: boolean;
  /** Number of failures since the last successful answer. */
  readonly failures: number;
  /** Number of quarantines since the version was added. */
  readonly rests: number;
}

/** Statistics of the shadow of one alias. */
export interface ShadowStatistics {
  /** The shadow version. */
  readonly version: string;
  /** The fraction of the rows that are also sent to the shadow, from 0 to 1. */
  readonly sample: number;
  /** Number of rows whose two answers were compared. */
  readonly compared: number;
  /** Number of rows whose two answers differed. */
  readonly different: number;
  /** Number of rows for which the shadow failed. */
  readonly failed: number;
  /**
   * Number of sampled rows that the shadow did not run, because too many shadow requests were in
   * flight.
   */
  readonly dropped: number;
}

/** Statistics of one alias of a registry. */
export interface AliasStatistics {
  /** The reference of the alias: `name:alias`. */
  readonly alias: string;
  /** The version that the alias points to. */
  readonly version: string;
  /** Number of requests since the alias was first set, including calls of `resolve`. */
  readonly requests: number;
  /** Number of times that the alias was set to another version. */
  readonly swaps: number;
  /** The canary of the alias. `requests` is the number of requests that were sent to it. */
  readonly canary?: { readonly version: string; readonly percent: number; readonly requests: number };
  /** Statistics of the alias's shadow, if it has one. */
  readonly shadow?: ShadowStatistics;
}

/** Statistics of a registry. */
export interface RegistryStatistics {
  /** Statistics of each version, including removed versions with requests in flight. */
  readonly versions: readonly VersionStatistics[];
  /** Statistics of each alias. */
  readonly aliases: readonly AliasStatistics[];
  /** Number of model names. */
  readonly models: number;
  /** Bytes of the parameters in the runtime. Shared parameters count once. */
  readonly bytes: number;
  /** The limit of `bytes`: `memoryBudgetBytes`. */
  readonly budgetBytes: number;
}

/**
 * Returns the statistics of a registry.
 * @param leaving removed versions with requests in flight
 */
export function registryStatistics(
  models: Iterable<Model>,
  leaving: Iterable<Version>,
  runtime: Runtime,
  budgetBytes: number,
): RegistryStatistics {
  const plans = new Map(runtime.stats().plans.map((plan) => [plan.name, plan]));
  const all = [...models];
  const versions = [...all.flatMap((model) => [...model.versions.values()]), ...leaving];
  return {
    versions: versions.map((version) => versionStatistics(version, plans)),
    aliases: all.flatMap(aliasesOf),
    models: all.length,
    bytes: runtime.parameterBytes(),
    budgetBytes,
  };
}

export const aliasesOf = ({ aliases }: Model): AliasStatistics[] => Array.from(aliases.values(), aliasStatistics);

/**
 * Returns the statistics of one version.
 * @param plans statistics of the plans of the runtime, by the name of the plan. Empty if the
 * runtime is closed.
 */
function versionStatistics(version: Version, plans: ReadonlyMap<string, PlanStatistics>): VersionStatistics {
  const registered = version.plan && plans.get(version.reference);
  const quality = addQuality(version.quality, registered?.quality);
  const { reference, isPinned, plan, inFlight, requests, failures, loads, unloads, parameterBytes } = version;
  const { isResting, failures: inARow, rests } = version.quarantine;
  return {
    version: reference,
    state: stateOf(version),
    pinned: isPinned,
    loaded: plan !== undefined,
    parameterBytes,
    marginalBytes: registered?.marginalBytes ?? 0,
    inFlight,
    requests,
    failures,
    loads,
    unloads,
    quarantine: { resting: isResting, failures: inARow, rests },
    ...(quality !== undefined && { quality }),
  };
}

function stateOf(version: Version): VersionState {
  if (version.isLeaving) return 'leaving';
  if (version.quarantine.isResting) return 'resting';
  if (version.plan !== undefined) return 'loaded';
  return version.loading === undefined ? 'unloaded' : 'loading';
}

function aliasStatistics({ reference, version, requests, swaps, canary, shadow }: Alias): AliasStatistics {
  return {
    alias: reference,
    version: version.reference,
    requests,
    swaps,
    ...(canary && {
      canary: { version: canary.version.reference, percent: canary.percent, requests: canary.requests },
    }),
    ...(shadow && { shadow: shadowStatistics(shadow) }),
  };
}

function shadowStatistics({ version, sample, compared, different, failed, dropped }: Shadow): ShadowStatistics {
  return { version: version.reference, sample, compared, different, failed, dropped };
}
