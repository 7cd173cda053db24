import type { ModelChange } from '../model-changes.js';
import type { ServerStatistics } from '../statistics/server-statistics.js';
import type { MetricValues } from './add-metrics.js';

/** The statistics and the metrics of one process of a server. */
export interface ProcessNumbers {
  statistics(): Promise<ServerStatistics>;
  /**
   * Returns the metrics of the process, or undefined if the optional packages are not installed.
   */
  metrics(): Promise<readonly MetricValues[] | undefined>;
}

/**
 * The interface through which one process of a server reaches all its processes. The command
 * `brezel serve --processes` implements this interface.
 */
export interface ServerProcesses {
  /**
   * Receives the functions that return the statistics and the metrics of this process. The plugin
   * calls it once.
   */
  join(own: ProcessNumbers): void;
  /** Makes a change in all processes, or in none. */
  change(change: ModelChange): Promise<void>;
  /** Returns the statistics of all processes, added up. */
  statistics(): Promise<ServerStatistics>;
  /** Returns the metrics of all processes, added up, in the text format of Prometheus. */
  metrics(): Promise<string>;
}
