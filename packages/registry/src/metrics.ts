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

type Description = Pick<RegistryMetric, 'name' | 'kind' | 'help' | 'combine'>;

/** Returns the description of a gauge that has the same value in all processes of a server. */
const gauge = (name: string, help: string): Description => ({
  name: `registry.${name}`,
  kind: 'gauge',
  help,
  combine: 'max',
});
/** Returns the description of a gauge whose values are added over the processes of a server. */
const sumGauge = (name: string, help: string): Description => ({ name: `registry.${name}`, kind: 'gauge', help });
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
    ...gauge('versions', 'Versions by state'),
    labels: ['state'],
    read: ({ versions }) =>
      STATES.map((state) => ({
        labels: { state },
        value: versions.filter((version) => version.state === state).length,
      })),
  },
  whole(gauge('aliases', 'Aliases'), ({ aliases }) => aliases.length),
  whole(gauge('bytes', 'Bytes of parameters in the runtime; a shared parameter counts once'), ({ bytes }) => bytes),
  {
    ...gauge('budget.bytes', 'The memory limit of the registry for parameters'),
    labels: [],
    read: ({ budgetBytes }) => (budgetBytes === Infinity ? [] : [{ labels: {}, value: budgetBytes }]),
  },
  whole(
    gauge('loaded.bytes', 'Bytes of the parameters of loaded versions, as if no version shared a parameter'),
    (stats) => sum(stats.versions, true),
  ),
  whole(gauge('unloaded.bytes', 'Bytes of the parameters of unloaded versions at their last load'), (stats) =>
    sum(stats.versions, false),
  ),
  version(gauge('version.loaded', '1 while a version is loaded'), ({ loaded }) => +loaded),
  version(gauge('version.pinned', '1 while a version is pinned'), ({ pinned }) => +pinned),
  version(
    gauge('version.bytes', 'Bytes of the parameters of a version at its last load'),
    (version) => version.parameterBytes,
  ),
  version(
    gauge('version.marginal.bytes', 'Bytes of the parameters of a version that no other plan uses'),
    ({ marginalBytes }) => marginalBytes,
  ),
  version(sumGauge('version.in.flight', 'Requests in flight'), ({ inFlight }) => inFlight),
  version(counter('version.requests', 'Requests to a version'), ({ requests }) => requests),
  version(
    counter('version.failures', 'Failed requests and loads of a version, without invalid rows'),
    ({ failures }) => failures,
  ),
  version(counter('version.loads', 'Successful loads of a version'), ({ loads }) => loads),
  version(counter('version.unloads', 'Times that a version was unloaded'), ({ unloads }) => unloads),
  version(gauge('version.resting', '1 while a version is in quarantine'), ({ quarantine }) => +quarantine.resting),
  version(counter('version.rests', 'Quarantines of a version'), ({ quarantine }) => quarantine.rests),
  ...qualityMetrics<RegistryStatistics>('registry.version.', 'version', ({ versions }) =>
    versions.map(({ version, quality }) => ({ name: version, ...(quality !== undefined && { quality }) })),
  ),
  alias(counter('alias.requests', 'Requests to an alias'), ({ requests }) => requests),
  alias(
    { ...counter('alias.swaps', 'Times that an alias was set to another version'), combine: 'max' },
    ({ swaps }) => swaps,
  ),
  canary(
    gauge('canary.percent', 'Configured share of the requests that go to the canary, in percent'),
    ({ percent }) => percent,
  ),
  canary(counter('canary.requests', 'Requests that were sent to the canary'), ({ requests }) => requests),
  shadow(gauge('shadow.sample', 'Share of the rows that also go to the shadow, from 0 to 1'), ({ sample }) => sample),
  shadow(counter('shadow.compared', 'Rows whose answers were compared'), ({ compared }) => compared),
  shadow(counter('shadow.different', 'Rows with different answers from the shadow'), ({ different }) => different),
  shadow(counter('shadow.failed', 'Rows for which the shadow failed'), ({ failed }) => failed),
  shadow(
    counter('shadow.dropped', 'Rows that the shadow did not run because too many shadow requests were in flight'),
    ({ dropped }) => dropped,
  ),
];
