import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** One metric of a process with its values, as `getMetricsAsJSON` of prom-client returns it. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** Metrics of these types stay in the totals after their process has ended. */
const CUMULATIVE: ReadonlySet<string> = new Set(['counter', 'histogram']);

/**
 * Returns the counters and histograms of a process that has ended. Only these metrics stay in the
 * totals. Gauges, for example, describe a running process.
 */
export const cumulative = (metrics: readonly MetricValues[]): readonly MetricValues[] =>
  // prom-client's types say that `type` is a number, but it is a text.
  metrics.filter(({ type }) => CUMULATIVE.has(`${type}`));

/**
 * Adds the metrics of several processes. Each metric names the function that combines its values.
 */
export async function addMetrics(processes: readonly (readonly MetricValues[])[]): Promise<readonly MetricValues[]> {
  const total = await aggregated(processes);
  return (await total.getMetricsAsJSON()) as unknown as readonly MetricValues[];
}

/** Writes the metrics of several processes as one text in the format of Prometheus. */
export async function metricsText(processes: readonly (readonly MetricValues[])[]): Promise<string> {
  return (await aggregated(processes)).metrics();
}

async function aggregated(processes: readonly (readonly MetricValues[])[]) {
  const { default: prom } = await import('prom-client');
  return prom.AggregatorRegistry.aggregate(processes as unknown as object[]);
}
