import type { Runtime } from '@brezel/runtime';
import type { Alias } from './alias.js';
import type { Model } from './models.js';
import type { Shadow } from './shadow.js';
import type { Version } from './version.js';

/** `resting`: in quarantine. `leaving`: removed, but requests are in flight. */
export type VersionState = 'unloaded' | 'loading' | 'loaded' | 'resting' | 'leaving';

export interface VersionStatistics {
  /** The version as `name@version`. */
  readonly version: string;
  readonly state: VersionState;
  readonly pinned: boolean;
  readonly loaded: boolean;
  /** Bytes of all parameters of the version at its last load; 0 before the first load. */
  readonly parameterBytes: number;
  /** Bytes of the parameters that no other plan uses; 0 while the version is not loaded. */
  readonly marginalBytes: number;
  readonly inFlight: number;
  /** Counts since the version was added. `failed` does not include invalid rows. */
  readonly requests: number;
  readonly failures: number;
  readonly loads: number;
  readonly unloads: number;
  readonly quarantine: VersionQuarantine;
}

export interface VersionQuarantine {
  readonly resting: boolean;
  /** Number of failures since the last answer. */
  readonly failures: number;
  /** Number of quarantines. */
  readonly rests: number;
}

export interface ShadowStatistics {
  readonly version: string;
  readonly sample: number;
  /**
   * Counts of rows that were compared, that differed, that failed in the shadow, and that were
   * dropped because too many requests were in flight.
   */
  readonly compared: number;
  readonly different: number;
  readonly failed: number;
  readonly dropped: number;
}

export interface AliasStatistics {
  /** The reference of the alias: `name:alias`. */
  readonly alias: string;
  readonly version: string;
  /**
   * Counts since the alias was first set. `requests` includes calls of `resolve`, and `swaps`
   * counts changes to another version.
   */
  readonly requests: number;
  readonly swaps: number;
  /** The canary of the alias. `requests` is the number of requests that were sent to it. */
  readonly canary?: { readonly version: string; readonly percent: number; readonly requests: number };
  readonly shadow?: ShadowStatistics;
}

export interface RegistryStatistics {
  readonly versions: readonly VersionStatistics[];
  readonly aliases: readonly AliasStatistics[];
  /** Number of model names. */
  readonly models: number;
  /**
   * Bytes of parameters in the runtime, where shared parameters count once. `budgetBytes` is their
   * limit.
   */
  readonly bytes: number;
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
  const marginal = new Map(runtime.stats().plans.map((plan) => [plan.name, plan.marginalBytes]));
  const all = [...models];
  const versions = [...all.flatMap((model) => [...model.versions.values()]), ...leaving];
  return {
    versions: versions.map((version) => versionStatistics(version, marginal)),
    aliases: all.flatMap(aliasesOf),
    models: all.length,
    bytes: runtime.parameterBytes(),
    budgetBytes,
  };
}

export const aliasesOf = ({ aliases }: Model): AliasStatistics[] => Array.from(aliases.values(), aliasStatistics);

function versionStatistics(version: Version, marginal: ReadonlyMap<string, number>): VersionStatistics {
  const { reference, isPinned, plan, inFlight, requests, failures, loads, unloads, parameterBytes } = version;
  const { isResting, failures: inARow, rests } = version.quarantine;
  return {
    version: reference,
    state: stateOf(version),
    pinned: isPinned,
    loaded: plan !== undefined,
    parameterBytes,
    marginalBytes: plan === undefined ? 0 : (marginal.get(reference) ?? 0),
    inFlight,
    requests,
    failures,
    loads,
    unloads,
    quarantine: { resting: isResting, failures: inARow, rests },
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
