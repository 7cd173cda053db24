import { type RegistryStatistics, type Runtime, registryMetrics, runtimeMetrics } from 'brezel';
import { type Registry, register } from 'prom-client';
import { PredictionMetrics } from './predictions.js';
import { statisticsMetrics } from './statistics.js';

export interface CollectOptions {
  /** Where the metrics go. Default: prom-client's global registry. */
  readonly registry?: Registry;
  /** What their names begin with. Default `brezel_`. */
  readonly prefix?: string;
  /**
   * Histograms and counters of every prediction, by listening to the steps of predictions: some two microseconds a prediction. False: only what
   * `stats()` has, which costs nothing between scrapes. Default true.
   */
  readonly predictions?: boolean;
  /** Upper bounds of the histograms, in seconds, ascending. Default: 16 from 1 µs to 1 s. */
  readonly buckets?: readonly number[];
}

/** What `collectMetrics` gives back. */
export interface CollectedMetrics {
  /** Names of the metrics, in the order of the registry. */
  readonly names: readonly string[];
  /** Stops listening, and takes the metrics out of the registry. Twice does no harm. */
  stop(): void;
  [Symbol.dispose](): void;
}

/**
 * Registers the metrics of a runtime: what `runtime.stats()` says, read when Prometheus asks, and the predictions as they end.
 *
 * @throws Error of prom-client when a metric of the same name is registered: one registry or prefix a runtime. Nothing stays behind then.
 * @example
 * const metrics = collectMetrics(runtime);
 * response.end(await register.metrics()); // of prom-client
 * metrics.stop();
 */
export function collectMetrics(runtime: Runtime, options: CollectOptions = {}): CollectedMetrics {
  const { registry = register, prefix = PREFIX, predictions = true, buckets } = options;
  return collected(registry, (added) => {
    statisticsMetrics(runtimeMetrics, () => runtime.stats(), registry, prefix, added);
    if (!predictions) return undefined;
    const listening = new PredictionMetrics(runtime, registry, prefix, buckets, added);
    return () => listening.stop();
  });
}

/** A registry of models, as `createRegistry` makes it. */
export interface Models {
  stats(): RegistryStatistics;
}

/**
 * Registers the metrics of a registry of models: what its `stats()` says, read when Prometheus asks. Its runtime has metrics of its own.
 *
 * @throws as `collectMetrics`.
 * @example
 * const models = await createRegistry();
 * const metrics = collectRegistryMetrics(models);
 * response.end(await register.metrics()); // of prom-client
 * metrics.stop();
 */
export function collectRegistryMetrics(
  models: Models,
  options: Pick<CollectOptions, 'registry' | 'prefix'> = {},
): CollectedMetrics {
  const { registry = register, prefix = PREFIX } = options;
  return collected(registry, (added) => {
    statisticsMetrics(registryMetrics, () => models.stats(), registry, prefix, added);
    return undefined;
  });
}

const PREFIX = 'brezel_';

/** @param collect registers metrics, tells their names, and gives what ends them. After an error none is left. */
function collected(
  registry: Registry,
  collect: (added: (name: string) => void) => (() => void) | undefined,
): CollectedMetrics {
  const names: string[] = [];
  let end: (() => void) | undefined;
  const stop = () => {
    end?.();
    for (const name of names) registry.removeSingleMetric(name);
    names.length = 0;
  };
  try {
    end = collect((name) => names.push(name));
  } catch (error) {
    stop();
    throw error;
  }
  return { names: [...names], stop, [Symbol.dispose]: stop };
}
