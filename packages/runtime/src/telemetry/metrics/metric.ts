import type { RuntimeStatistics } from '../statistics.js';

/** One value of a metric, with its labels. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric that is computed from `stats()`, for monitoring systems. */
export interface Metric<Statistics> {
  /**
   * Words separated by dots: `queue.rows`. Adapters convert the name to the form of their
   * monitoring system.
   */
  readonly name: string;
  /**
   * A `counter` never decreases while the plan, version or runtime that it describes exists. A
   * `gauge` may also decrease.
   */
  readonly kind: 'gauge' | 'counter';
  /**
   * How a server combines the values of its processes, which serve the same models. `max` is for
   * values that are equal in all processes, and for percentiles. Default `sum`.
   */
  readonly combine?: 'sum' | 'max';
  /**
   * `s` if the values are times in seconds. The names of all other metrics end with what they
   * count, such as `rows`.
   */
  readonly unit?: 's';
  readonly help: string;
  readonly labels: readonly string[];
  read(stats: Statistics): readonly Reading[];
}

/** A metric that is computed from `runtime.stats()`. */
export type RuntimeMetric = Metric<RuntimeStatistics>;
