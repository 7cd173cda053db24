import type { Runtime } from '@brezel/runtime';
import type { Alias } from './alias.js';
import type { Model } from './models.js';
import type { Shadow } from './shadow.js';
import type { Version } from './version.js';

/** `resting`: in quarantine. `leaving`: removed, and answering what is in flight. */
export type VersionState = 'unloaded' | 'loading' | 'loaded' | 'resting' | 'leaving';

export interface VersionStatistics {
  /** `name@version`. */
  readonly version: string;
  readonly state: VersionState;
  readonly pinned: boolean;
  readonly loaded: boolean;
  /** Bytes of all its parameters when it was last loaded; 0 before. */
  readonly parameterBytes: number;
  /** Bytes of its parameters that no other plan needs; 0 while it is not loaded. */
  readonly marginalBytes: number;
  readonly inFlight: number;
  /**
   * Since it was added: calls, those that failed by the plan's fault, loads, and how often it was
   * unloaded.
   */
  readonly requests: number;
  readonly failures: number;
  readonly loads: number;
  readonly unloads: number;
  readonly quarantine: VersionQuarantine;
}

export interface VersionQuarantine {
  readonly resting: boolean;
  /** Failures since its last answer. */
  readonly failures: number;
  /** Times that it began to rest. */
  readonly rests: number;
}

export interface ShadowStatistics {
  readonly version: string;
  readonly sample: number;
  /**
   * Rows: compared, of those different, without an answer, and not asked because too many were
   * under way.
   */
  readonly compared: number;
  readonly different: number;
  readonly failed: number;
  readonly dropped: number;
}

export interface AliasStatistics {
  /** `name:alias`. */
  readonly alias: string;
  readonly version: string;
  /**
   * Since it was set for the first time: requests by this alias, `resolve` among them, and how
   * often it came to mean another version.
   */
  readonly requests: number;
  readonly swaps: number;
  /** `requests`: that it got so far. */
  readonly canary?: { readonly version: string; readonly percent: number; readonly requests: number };
  readonly shadow?: ShadowStatistics;
}

export interface RegistryStatistics {
  readonly versions: readonly VersionStatistics[];
  readonly aliases: readonly AliasStatistics[];
  /** Names. */
  readonly models: number;
  /**
   * Bytes of parameters in the runtime, each shared one counted once, and the most there may be.
   */
  readonly bytes: number;
  readonly budgetBytes: number;
}

/** @param leaving versions that were removed and still answer. */
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
