import type { Runtime } from 'brezel';
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
  const { registry = register, prefix = 'brezel_', predictions = true, buckets } = options;
  const names: string[] = [];
  let listening: PredictionMetrics | undefined;
  const stop = () => {
    listening?.stop();
    for (const name of names) registry.removeSingleMetric(name);
    names.length = 0;
  };
  const add = (name: string) => {
    names.push(name);
  };
  try {
    statisticsMetrics(runtime, registry, prefix, add);
    if (predictions) listening = new PredictionMetrics(runtime, registry, prefix, buckets, add);
  } catch (error) {
    stop();
    throw error;
  }
  return { names: [...names], stop, [Symbol.dispose]: stop };
}
