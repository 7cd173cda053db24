import type { RuntimeStatistics } from '../statistics.js';

/** One number of a metric, and what it is of. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A number to watch: how monitoring systems see `stats()`. */
export interface Metric<Statistics> {
  /** Words with dots between: `queue.rows`. Adapters write them as their system does. */
  readonly name: string;
  /** `counter`: it only grows, as long as what it is of is there. */
  readonly kind: 'gauge' | 'counter';
  /** Of time: `s`. Other names end in what is counted. */
  readonly unit?: 's';
  readonly help: string;
  readonly labels: readonly string[];
  read(stats: Statistics): readonly Reading[];
}

/** Of `runtime.stats()`. */
export type RuntimeMetric = Metric<RuntimeStatistics>;
