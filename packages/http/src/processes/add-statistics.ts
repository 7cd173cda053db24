import type { AliasStatistics, InputQuality, QualityStatistics, ShadowStatistics, VersionState } from 'brezel';
import type { TimeCounts } from '../statistics/request-times.js';
import type { ServedVersion, ServerStatistics } from '../statistics/server-statistics.js';

/**
 * Combines the statistics of the processes of one server. The counters are sums. All processes map
 * the same parameters, so the bytes of parameters are not added: the result has the largest number
 * of all processes.
 *
 * @param processes the statistics of each process, at least one
 * @param ended the last statistics of processes that have ended. Only their counters are added.
 */
export function addStatistics(
  processes: readonly ServerStatistics[],
  ended: readonly ServerStatistics[] = [],
): ServerStatistics {
  const [first] = processes;
  const all = [...processes, ...ended];
  const versions = groups(
    processes.flatMap((one) => one.versions),
    ({ version }) => version,
  );
  const aliases = groups(
    processes.flatMap((one) => one.aliases),
    ({ alias }) => alias,
  );
  return {
    ...first!,
    processes: processes.flatMap((one) => one.processes),
    requests: {
      inFlight: sum(processes, ({ requests }) => requests.inFlight),
      failed: sum(all, ({ requests }) => requests.failed),
      times: addTimes(all.map(({ requests }) => requests.times)),
    },
    versions: versions.map((running) => {
      const { version } = running[0]!;
      return addVersions(
        running,
        ended.flatMap((one) => one.versions.filter((other) => other.version === version)),
      );
    }),
    aliases: aliases.map((running) => {
      const { alias } = running[0]!;
      return addAliases(
        running,
        ended.flatMap((one) => one.aliases.filter((other) => other.alias === alias)),
      );
    }),
    parameters: {
      bytes: most(processes, ({ parameters }) => parameters.bytes),
      unsharedBytes: most(processes, ({ parameters }) => parameters.unsharedBytes),
    },
  };
}

function addVersions(running: readonly ServedVersion[], ended: readonly ServedVersion[]): ServedVersion {
  const all = [...running, ...ended];
  const qualities = all.flatMap(({ quality }) => quality ?? []);
  return {
    ...running[0]!,
    state: stateOf(running.map(({ state }) => state)),
    loaded: running.every(({ loaded }) => loaded),
    parameterBytes: most(running, ({ parameterBytes }) => parameterBytes),
    marginalBytes: most(running, ({ marginalBytes }) => marginalBytes),
    inFlight: sum(running, ({ inFlight }) => inFlight),
    requests: sum(all, ({ requests }) => requests),
    failures: sum(all, ({ failures }) => failures),
    loads: sum(all, ({ loads }) => loads),
    unloads: sum(all, ({ unloads }) => unloads),
    quarantine: {
      resting: running.some(({ quarantine }) => quarantine.resting),
      failures: most(running, ({ quarantine }) => quarantine.failures),
      rests: sum(all, ({ quarantine }) => quarantine.rests),
    },
    times: addTimes(all.map(({ times }) => times)),
    ...(qualities.length > 0 && { quality: qualities.reduce(addQualities) }),
  };
}

/**
 * The states of a version, in the order of their priority. If processes have different states of a
 * version, the total has the state that is first in this list.
 */
const STATES: readonly VersionState[] = ['resting', 'leaving', 'loading', 'unloaded', 'loaded'];

/** Returns the reported state of a version, from its states in all processes. */
const stateOf = (states: readonly VersionState[]): VersionState => STATES.find((state) => states.includes(state))!;

function addAliases(running: readonly AliasStatistics[], ended: readonly AliasStatistics[]): AliasStatistics {
  const [first] = running;
  const all = [...running, ...ended];
  const canaries = all.flatMap(({ canary }) => (canary?.version === first!.canary?.version ? (canary ?? []) : []));
  const shadows = all.flatMap(({ shadow }) => (shadow?.version === first!.shadow?.version ? (shadow ?? []) : []));
  return {
    ...first!,
    requests: sum(all, ({ requests }) => requests),
    // Every process makes every change. A process that replaces an ended one has made fewer.
    swaps: most(all, ({ swaps }) => swaps),
    ...(first!.canary && { canary: { ...first!.canary, requests: sum(canaries, ({ requests }) => requests) } }),
    ...(first!.shadow && { shadow: addShadows(shadows) }),
  };
}

const addShadows = (shadows: readonly ShadowStatistics[]): ShadowStatistics => ({
  ...shadows[0]!,
  compared: sum(shadows, ({ compared }) => compared),
  different: sum(shadows, ({ different }) => different),
  failed: sum(shadows, ({ failed }) => failed),
  dropped: sum(shadows, ({ dropped }) => dropped),
});

function addTimes(times: readonly TimeCounts[]): TimeCounts {
  const counts = new Map<number, number>();
  for (const [bucket, count] of times.flatMap(({ buckets }) => buckets))
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  return { count: sum(times, ({ count }) => count), buckets: [...counts].sort(([a], [b]) => a - b) };
}

function addQualities(one: QualityStatistics, other: QualityStatistics): QualityStatistics {
  const names = [...new Set([...Object.keys(one.inputs), ...Object.keys(other.inputs)])];
  const inputs = names.map((name) => [name, addInputs(one.inputs[name], other.inputs[name])] as const);
  return { ...one, rows: one.rows + other.rows, inputs: Object.fromEntries(inputs) };
}

function addInputs(one: InputQuality | undefined, other: InputQuality | undefined): InputQuality {
  const total: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other ?? {})) total[name] = (total[name] ?? 0) + count;
  return total as unknown as InputQuality;
}

/** Groups items with equal keys. */
function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const byKey = new Map<string, Item[]>();
  for (const item of items) byKey.set(keyOf(item), [...(byKey.get(keyOf(item)) ?? []), item]);
  return [...byKey.values()];
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const most = <Item>(items: readonly Item[], of: (item: Item) => number): number => Math.max(0, ...items.map(of));
