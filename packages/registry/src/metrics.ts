import { type Metric, qualityMetrics, type Reading } from '@brezel/runtime';
import type {
  AliasStatistics,
  RegistryStatistics,
  ShadowStatistics,
  VersionState,
  VersionStatistics,
} from './statistics.js';

/** A metric that is computed from `registry.stats()`. */
export type RegistryMetric = Metric<RegistryStatistics>;

type Description = Pick<RegistryMetric, 'name' | 'kind' | 'help'>;

const gauge = (name: string, help: string): Description => ({ name: `registry.${name}`, kind: 'gauge', help });
const counter = (name: string, help: string): Description => ({ name: `registry.${name}`, kind: 'counter', help });

const whole = (description: Description, of: (stats: RegistryStatistics) => number): RegistryMetric => ({
  ...description,
  labels: [],
  read: (stats) => [{ labels: {}, value: of(stats) }],
});

/** Returns a metric with one reading for each version. */
const version = (description: Description, of: (version: VersionStatistics) => number): RegistryMetric => ({
  ...description,
  labels: ['version'],
  read: ({ versions }) => versions.map((version) => ({ labels: { version: version.version }, value: of(version) })),
});

/** Returns a metric with one reading for each alias. */
const alias = (description: Description, of: (alias: AliasStatistics) => number): RegistryMetric => ({
  ...description,
  labels: ['alias'],
  read: ({ aliases }) => aliases.map((alias) => ({ labels: { alias: alias.alias }, value: of(alias) })),
});

type Canary = NonNullable<AliasStatistics['canary']>;

/** Returns a metric with one reading for each alias that has a canary. */
const canary = (description: Description, of: (canary: Canary) => number): RegistryMetric => ({
  ...description,
  labels: ['alias', 'version'],
  read: ({ aliases }) => aliases.flatMap((alias) => reading(alias, alias.canary, of)),
});

/** Returns a metric with one reading for each alias that has a shadow. */
const shadow = (description: Description, of: (shadow: ShadowStatistics) => number): RegistryMetric => ({
  ...description,
  labels: ['alias', 'version'],
  read: ({ aliases }) => aliases.flatMap((alias) => reading(alias, alias.shadow, of)),
});

const reading = <Beside extends { readonly version: string }>(
  { alias: name }: AliasStatistics,
  beside: Beside | undefined,
  of: (beside: Beside) => number,
): Reading[] => (beside === undefined ? [] : [{ labels: { alias: name, version: beside.version }, value: of(beside) }]);

const STATES: readonly VersionState[] = ['unloaded', 'loading', 'loaded', 'resting', 'leaving'];

const sum = (versions: readonly VersionStatistics[], isLoaded: boolean): number =>
  versions.reduce((total, version) => total + (version.loaded === isLoaded ? version.parameterBytes : 0), 0);

/** All metrics that are computed from `registry.stats()`. */
export const registryMetrics: readonly RegistryMetric[] = [
  whole(gauge('models', 'Names of models'), ({ models }) => models),
  {
    ...gauge('versions', 'Versions by their state'),
    labels: ['state'],
    read: ({ versions }) =>
      STATES.map((state) => ({
        labels: { state },
        value: versions.filter((version) => version.state === state).length,
      })),
  },
  whole(gauge('aliases', 'Aliases'), ({ aliases }) => aliases.length),
  whole(gauge('bytes', 'Bytes of parameters in the runtime, shared ones counted once'), ({ bytes }) => bytes),
  {
    ...gauge('budget.bytes', 'The most there may be, if there is a limit'),
    labels: [],
    read: ({ budgetBytes }) => (budgetBytes === Infinity ? [] : [{ labels: {}, value: budgetBytes }]),
  },
  whole(gauge('loaded.bytes', 'Bytes of loaded versions, as if nothing were shared'), (stats) =>
    sum(stats.versions, true),
  ),
  whole(gauge('unloaded.bytes', 'The same of unloaded versions, as they were when last loaded'), (stats) =>
    sum(stats.versions, false),
  ),
  version(gauge('version.loaded', '1 while a version is loaded'), ({ loaded }) => +loaded),
  version(gauge('version.pinned', '1 while a version is pinned'), ({ pinned }) => +pinned),
  version(
    gauge('version.bytes', 'Bytes of its parameters when it was last loaded'),
    (version) => version.parameterBytes,
  ),
  version(gauge('version.marginal.bytes', 'Bytes that no other plan needs'), ({ marginalBytes }) => marginalBytes),
  version(gauge('version.in.flight', 'Requests that a version answers now'), ({ inFlight }) => inFlight),
  version(counter('version.requests', 'Requests to a version'), ({ requests }) => requests),
  version(counter('version.failures', 'Requests and loads that failed by its fault'), ({ failures }) => failures),
  version(counter('version.loads', 'Loads'), ({ loads }) => loads),
  version(counter('version.unloads', 'Times that it was unloaded'), ({ unloads }) => unloads),
  version(gauge('version.resting', '1 while a version is in quarantine'), ({ quarantine }) => +quarantine.resting),
  version(counter('version.rests', 'Times that a quarantine began'), ({ quarantine }) => quarantine.rests),
  ...qualityMetrics<RegistryStatistics>('registry.version.', 'version', ({ versions }) =>
    versions.map(({ version, quality }) => ({ name: version, ...(quality !== undefined && { quality }) })),
  ),
  alias(counter('alias.requests', 'Requests by an alias'), ({ requests }) => requests),
  alias(counter('alias.swaps', 'Times that an alias came to mean another version'), ({ swaps }) => swaps),
  canary(gauge('canary.percent', 'Share of the requests that a canary is to get'), ({ percent }) => percent),
  canary(counter('canary.requests', 'Requests that it got'), ({ requests }) => requests),
  shadow(gauge('shadow.sample', 'Share of the rows that a shadow is asked, too'), ({ sample }) => sample),
  shadow(counter('shadow.compared', 'Rows whose answers were compared'), ({ compared }) => compared),
  shadow(counter('shadow.different', 'Rows that a shadow answered otherwise'), ({ different }) => different),
  shadow(counter('shadow.failed', 'Rows that a shadow did not answer'), ({ failed }) => failed),
  shadow(counter('shadow.dropped', 'Rows that it was not asked, for it was busy'), ({ dropped }) => dropped),
];
