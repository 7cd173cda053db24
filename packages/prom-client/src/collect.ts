import { type RegistryStatistics, type Runtime, registryMetrics, runtimeMetrics } from 'brezel';
import { type Registry, register } from 'prom-client';
import { PredictionMetrics } from './predictions.js';
import { type SelectionCounts, selectionMetrics } from './selection-metrics.js';
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
  /**
   * Upper bounds of the histograms' buckets in seconds, ascending. Default: 16 bounds from 1 µs to
   * 1 s.
   */
  readonly buckets?: readonly number[];
}

/** The metrics that `collectMetrics` or `collectRegistryMetrics` has registered. */
export interface CollectedMetrics {
  /** Names of the registered metrics, in the order in which they were registered. */
  readonly names: readonly string[];
  /** Stops recording, and removes the metrics from the registry. Repeated calls are allowed. */
  stop(): void;
  [Symbol.dispose](): void;
}

/**
 * Registers the metrics of a runtime. Each scrape reads the values of `runtime.stats()`. Other
 * metrics count and time the predictions.
 *
 * @throws an Error of prom-client if a metric with the same name exists; use another registry or
 * prefix for each runtime. After an error, no metric stays registered.
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
 * Registers the metrics of a registry of models. Each scrape reads the values of its `stats()`. To
 * collect the metrics of its runtime, call `collectMetrics` separately.
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

/** A selection, as `createSelection` of `@brezel/selection` returns it. */
export interface MeasuredSelection {
  stats(): SelectionCounts;
  weights(options: { readonly deadlineMs: number }): Promise<Readonly<Record<string, number>> | undefined>;
}

/**
 * Registers the metrics of selections. Each scrape reads the values of `stats()` and `weights()` of
 * each selection. If the store of a selection fails, or does not answer within one second, its
 * weights are missing in this scrape.
 *
 * @param selections the selections by name. The name is the label `selection`.
 * @throws the errors of `collectMetrics`.
 * @example
 * const film = createSelection({ candidates, loss });
 * const metrics = collectSelectionMetrics({ film });
 * response.end(await register.metrics()); // of prom-client
 * metrics.stop();
 */
export function collectSelectionMetrics(
  selections: Readonly<Record<string, MeasuredSelection>>,
  options: Pick<CollectOptions, 'registry' | 'prefix'> = {},
): CollectedMetrics {
  const { registry = register, prefix = PREFIX } = options;
  const read = () =>
    Promise.all(
      Object.entries(selections).map(async ([name, selection]) => ({
        name,
        weights: await selection.weights({ deadlineMs: WEIGHTS_MS }).catch(() => undefined),
        counts: selection.stats(),
      })),
    );
  return collected(registry, (added) => {
    statisticsMetrics(selectionMetrics, read, registry, prefix, added);
    return undefined;
  });
}

const PREFIX = 'brezel_';
/** How long a scrape waits for the store of a selection. */
const WEIGHTS_MS = 1000;

/**
 * Calls `collect`, which registers metrics, passes their names to `added`, and returns a function
 * that stops recording. If `collect` throws, removes the metrics that it has registered.
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
