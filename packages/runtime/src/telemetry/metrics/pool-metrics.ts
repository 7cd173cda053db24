import type { VectorPoolStatistics } from '../../parallel/executors/pool-statistics.js';
import type { RuntimeMetric } from './metric.js';

const metric = (
  name: string,
  kind: 'gauge' | 'counter',
  help: string,
  of: (pool: VectorPoolStatistics) => number,
): RuntimeMetric => ({
  name,
  kind,
  help,
  labels: [],
  read: ({ pools: { shared, reserved } }) => [
    { labels: {}, value: [shared, ...reserved].reduce((sum, pool) => sum + of(pool), 0) },
  ],
});

/**
 * Metrics of the pooled vectors of all executors. The counts include the executors that are
 * reserved for a plan, until the plan is removed.
 */
export const poolMetrics: readonly RuntimeMetric[] = [
  metric(
    'pool.vectors',
    'gauge',
    'Vectors of executors, lent to chunks or kept for the next',
    ({ vectors }) => vectors,
  ),
  metric('pool.bytes', 'gauge', 'Bytes of these vectors', ({ bytes }) => bytes),
  metric('pool.made', 'counter', 'Vectors that were made: flat once warm', ({ made }) => made),
  metric('pool.overflows', 'counter', 'Vectors that unusually large rows made too large', ({ overflows }) => overflows),
  metric('pool.released', 'counter', 'Vectors that limits did not let executors keep', ({ released }) => released),
];
