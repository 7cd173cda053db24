import type { WorkerStatistics } from '../../parallel/executors/javascript/statistics.js';
import type { ExecutorStatistics, GroupStatistics } from '../../parallel/executors/statistics.js';
import type { RuntimeMetric } from './metric.js';

/** The counts that native and JavaScript executors have in common. */
type Counts = Readonly<Record<'threads' | 'waiting' | 'chunks' | 'rows' | 'lost' | 'helped', number>>;

/** Returns the counts of executors by kind: native or JavaScript. */
function kinds({ shared, reserved, javascript }: ExecutorStatistics): Readonly<Record<string, Counts>> {
  const groups: readonly GroupStatistics[] = [shared, ...reserved];
  const sum = (of: (group: GroupStatistics) => number) => groups.reduce((total, group) => total + of(group), 0);
  const workers: readonly WorkerStatistics[] = [javascript, ...javascript.reserved];
  const all = (of: (group: WorkerStatistics) => number) => workers.reduce((total, group) => total + of(group), 0);
  return {
    native: {
      threads: sum((group) => group.threads),
      waiting: sum((group) => group.waiting),
      chunks: sum((group) => group.chunks),
      rows: sum((group) => group.rows),
      lost: sum((group) => group.lost),
      helped: sum((group) => group.helped),
    },
    javascript: {
      threads: all((group) => group.threads),
      waiting: all((group) => group.begun + group.fresh),
      chunks: all((group) => group.chunks),
      rows: all((group) => group.rows),
      lost: all((group) => group.lost),
      helped: all((group) => group.helped),
    },
  };
}

const metric = (name: string, kind: 'gauge' | 'counter', help: string, of: keyof Counts): RuntimeMetric => ({
  name,
  kind,
  help,
  labels: ['kind'],
  read: ({ executors }) =>
    Object.entries(kinds(executors)).map(([kind, counts]) => ({ labels: { kind }, value: counts[of] })),
});

/**
 * Metrics of executors. The counts include the executors that are reserved for a plan, until the
 * plan is removed.
 */
export const executorMetrics: readonly RuntimeMetric[] = [
  metric('executor.threads', 'gauge', 'Worker threads of executors', 'threads'),
  metric('executor.waiting.chunks', 'gauge', 'Chunks of batches that wait for an executor', 'waiting'),
  metric('executor.chunks', 'counter', 'Chunks of batches that were answered', 'chunks'),
  metric('executor.rows', 'counter', 'Rows in answered chunks', 'rows'),
  metric('executor.lost', 'counter', 'Worker threads that were lost', 'lost'),
  metric(
    'executor.helped',
    'counter',
    'Times that the calling thread ran chunks because no worker thread was ready',
    'helped',
  ),
];
