import type { Metric } from 'brezel';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Name of a metric as Prometheus wants it: base units, and `_total` behind counters. */
const metricName = (prefix: string, { name, unit, kind }: Metric<never>): string =>
  `${prefix}${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`;

/** Metrics that are read from `stats()` when somebody asks for them. @param added gets the name of each. */
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
        this.reset(); // what is gone is gone here, too
        for (const { labels, value } of metric.read(stats())) this.inc(labels, value);
      },
    });
    added(facts.name);
  }
}

/** All metrics of one scrape see the same statistics, which take a while to count. */
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
