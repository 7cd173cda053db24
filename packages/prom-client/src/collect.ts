import { type RegistryStatistics, type Runtime, registryMetrics, runtimeMetrics } from 'brezel';
import { type Registry, register } from 'prom-client';
import { PredictionMetrics } from './predictions.js';
import { statisticsMetrics } from './statistics.js';

/** Options of `collectMetrics`: the registry, the names of the metrics, and what to record. */
export interface CollectOptions {
  /** The registry that receives the metrics. Default: prom-client's global registry. */
  readonly registry?: Registry;
  /** Prefix of the metric names. Default `brezel_`. */
  readonly prefix?: string;
  /**
   * Whether to record histograms and counters of every prediction, which takes about 2 µs per
   * prediction. If false, only the values of `stats()` are exported, which takes time only during a
   * scrape. Default true.
   */
  readonly predictions?: boolean;
  /** Upper bounds of the histograms in seconds, ascending. Default: 16 from 1 µs to 1 s. */
  readonly buckets?: readonly number[];
}

/** The registered metrics; see `collectMetrics`. */
export interface CollectedMetrics {
  /** Names of the registered metrics, in the order in which they were registered. */
  readonly names: readonly string[];
  /** Stops listening and removes the metrics from the registry. Repeated calls are allowed. */
  stop(): void;
  [Symbol.dispose](): void;
}

/**
 * Registers the metrics of a runtime: the values of `runtime.stats()`, which are read at each
 * scrape, and metrics of the predictions.
 *
 * @throws an Error of prom-client when a metric of the same name is registered; use one registry or
 * prefix per runtime. After an error no metric stays registered.
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

/** A registry of models, as `createRegistry` returns it. */
export interface Models {
  stats(): RegistryStatistics;
}

/**
 * Registers the metrics of a registry of models: the values of its `stats()`, which are read at
 * each scrape. Collect the metrics of its runtime separately with `collectMetrics`.
 *
 * @throws the errors of `collectMetrics`.
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

/**
 * Runs `collect`, which registers metrics, reports their names and returns a function that stops
 * them. After an error no metric stays registered.
 */
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
