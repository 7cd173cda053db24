import type { AliasStatistics, ModelRegistry, VersionStatistics } from 'brezel';
import type { NamedSelections } from '../selections/selection-app.js';
import { type ServedSelection, selectionStatistics } from '../selections/selection-statistics.js';
import { VERSION } from '../version.js';
import { type ProcessMemory, processMemory } from './process-memory.js';
import type { RequestCounts } from './request-counts.js';
import type { TimeCounts } from './request-times.js';

/** One process of a server. */
export interface ProcessStatistics extends ProcessMemory {
  readonly pid: number;
  /** `primary` if the process only starts and supervises the processes that answer requests. */
  readonly role?: 'primary';
  readonly uptimeSeconds: number;
}

/** One version, with the times of its HTTP requests. */
export interface ServedVersion extends VersionStatistics {
  readonly times: TimeCounts;
}

/** Counts, times and memory of a server, as `GET /statistics` returns them. */
export interface ServerStatistics {
  /** The version of `@brezel/http`. */
  readonly version: string;
  readonly processes: readonly ProcessStatistics[];
  /** HTTP requests for predictions. `failed` counts responses with a status from 400. */
  readonly requests: { readonly inFlight: number; readonly failed: number; readonly times: TimeCounts };
  readonly versions: readonly ServedVersion[];
  readonly aliases: readonly AliasStatistics[];
  /**
   * Bytes of the parameters in memory. `bytes` counts a shared parameter once; `unsharedBytes`
   * counts it once for each version that uses it.
   */
  readonly parameters: { readonly bytes: number; readonly unsharedBytes: number };
  /** The limit of parameter bytes, if the registry has one. */
  readonly budgetBytes?: number;
  /** The selections, if the server has any. */
  readonly selections?: readonly ServedSelection[];
}

/** Returns the counts, times and memory of this process. */
export async function serverStatistics(
  registry: ModelRegistry,
  counts: RequestCounts,
  selections: NamedSelections,
): Promise<ServerStatistics> {
  const { versions, aliases, bytes, budgetBytes } = registry.stats();
  const loaded = versions.filter((version) => version.loaded);
  return {
    version: VERSION,
    processes: [{ pid: process.pid, uptimeSeconds: process.uptime(), ...(await processMemory()) }],
    requests: counts.all(),
    versions: versions.map((version) => ({ ...version, times: counts.of(version.version) })),
    aliases,
    parameters: { bytes, unsharedBytes: loaded.reduce((sum, { parameterBytes }) => sum + parameterBytes, 0) },
    // JSON has no infinity, so a missing limit has no field.
    ...(Number.isFinite(budgetBytes) && { budgetBytes }),
    ...(selections.size > 0 && { selections: await selectionStatistics(selections) }),
  };
}
