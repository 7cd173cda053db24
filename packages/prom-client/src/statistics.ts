import type { Metric } from 'brezel';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Returns the name of a metric in the conventions of Prometheus: base units, and `_total` for
 * counters.
 */
const metricName = (prefix: string, { name, unit, kind }: Metric<never>): string =>
  `${prefix}${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`;

/**
 * Registers metrics. At each scrape, `read` returns the statistics from which the values of all
 * metrics are computed, or a promise of the statistics.
 *
 * @param added called with the name of each registered metric.
 */
export function statisticsMetrics<Statistics>(
  metrics: readonly Metric<Statistics>[],
  read: () => Statistics | Promise<Statistics>,
  registry: Registry,
  prefix: string,
  added: (name: string) => void,
): void {
  const stats = oncePerTurn(read);
  for (const metric of metrics) {
    const { help, labels: labelNames, combine: aggregator = 'sum' } = metric;
    const facts = {
      name: metricName(prefix, metric),
      help,
      labelNames: [...labelNames],
      registers: [registry],
      aggregator, // used by prom-client when it adds the metrics of several processes
    };
    const type = metric.kind === 'gauge' ? Gauge : Counter;
    new type({
      ...facts,
      collect() {
        const fill = (statistics: Statistics) => {
          this.reset(); // removes labels of plans that were released
          for (const { labels, value } of metric.read(statistics)) this.inc(labels, value);
        };
        const statistics = stats();
        return statistics instanceof Promise ? statistics.then(fill) : fill(statistics);
      },
    });
    added(facts.name);
  }
}

/**
 * Returns a function that calls `read` once for all calls that follow each other without a pause.
 * prom-client collects the metrics of a scrape without a pause, so all of them use the same
 * statistics, and `read`, which takes long, runs once.
 */
function oncePerTurn<Statistics>(read: () => Statistics): () => Statistics {
  let known: Statistics | undefined;
  return () => {
    if (known !== undefined) return known;
    known = read();
    queueMicrotask(() => {
      known = undefined;
    });
    return known;
  };
}
