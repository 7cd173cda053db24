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
  metric('pool.vectors', 'gauge', 'Pooled vectors of executors, in use or cached', ({ vectors }) => vectors),
  metric('pool.bytes', 'gauge', 'Bytes of the pooled vectors of executors', ({ bytes }) => bytes),
  metric('pool.made', 'counter', 'Pooled vectors that were allocated; constant after warm-up', ({ made }) => made),
  metric(
    'pool.overflows',
    'counter',
    'Pooled vectors that were freed because unusually large rows made them too large',
    ({ overflows }) => overflows,
  ),
  metric(
    'pool.released',
    'counter',
    'Pooled vectors that were freed because of the limits of the cache',
    ({ released }) => released,
  ),
];
