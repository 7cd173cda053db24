import type { Metric } from 'brezel';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Returns the name of a metric in the conventions of Prometheus: base units, and `_total` for
 * counters.
 */
const metricName = (prefix: string, { name, unit, kind }: Metric<never>): string =>
  `${prefix}${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`;

/**
 * Returns metrics that read `stats()` at each scrape.
 *
 * @param added receives the name of each metric.
 */
export function statisticsMetrics<Statistics>(
  metrics: readonly Metric<Statistics>[],
  read: () => Statistics,
  registry: Registry,
  prefix: string,
  added: (name: string) => void,
): void {
  const stats = oncePerTurn(read);
  for (const metric of metrics) {
    const { help, labels: labelNames } = metric;
    const facts = { name: metricName(prefix, metric), help, labelNames: [...labelNames], registers: [registry] };
    const type = metric.kind === 'gauge' ? Gauge : Counter;
    new type({
      ...facts,
      collect() {
        this.reset(); // removes labels of plans that were released
        for (const { labels, value } of metric.read(stats())) this.inc(labels, value);
      },
    });
    added(facts.name);
  }
}

/**
 * Caches the statistics for one turn of the event loop, because computing them takes long, and all
 * metrics of a scrape should have the same statistics.
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
