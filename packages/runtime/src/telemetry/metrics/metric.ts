import type { RuntimeStatistics } from '../statistics.js';

/** One value of a metric, with its labels. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric over `stats()`, for monitoring systems. */
export interface Metric<Statistics> {
  /** Words with dots in between: `queue.rows`. Adapters convert the name to their system. */
  readonly name: string;
  /** `counter`: it only grows while its object exists. */
  readonly kind: 'gauge' | 'counter';
  /** `s` for times; other names end in the unit that they count. */
  readonly unit?: 's';
  readonly help: string;
  readonly labels: readonly string[];
  read(stats: Statistics): readonly Reading[];
}

/** A metric over `runtime.stats()`. */
export type RuntimeMetric = Metric<RuntimeStatistics>;
