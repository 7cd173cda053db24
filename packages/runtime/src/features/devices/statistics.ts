/** Statistics of a stage on a device. */
export interface DeviceStageStatistics {
  readonly key: string;
  /** Number of plans whose rows the stage gathers. */
  readonly plans: number;
  /** The provider of the backend that runs the stage, once it is open. */
  readonly provider?: string;
  /**
   * `absent`: the machine has no such device. `resting`: the stage failed, and the CPU runs it
   * until the next attempt.
   */
  readonly state: 'opening' | 'ready' | 'resting' | 'absent';
  /** The largest number of rows in a call; halved each time the device runs out of memory. */
  readonly maxBatch: number;
  /** Number of answered device calls, and number of their rows. */
  readonly calls: number;
  readonly rows: number;
  /** Number of rows that the CPU ran instead, because a call was too small or the device failed. */
  readonly cpuRows: number;
  /** Number of rows that the CPU computed again because the device gave NaN or infinities. */
  readonly repairedRows: number;
  readonly waitingRows: number;
  /** Bytes that were copied to the device and back. */
  readonly transferBytes: number;
  /** Time of all calls, from submitting rows to receiving answers, in microseconds. */
  readonly micros: number;
  /** Number of failed calls and failed openings. Their requests ran on the CPU. */
  readonly failures: number;
  readonly lastFailure?: string;
}

/** Statistics of a backend with the providers that plans named. */
export interface DeviceStatistics {
  readonly backend: string;
  /** Undefined: the backend chooses a provider for a GPU. */
  readonly providers?: readonly string[];
  /** Calls in flight at most, calls in flight now, and calls that are reserved for plans. */
  readonly calls: { readonly limit: number; readonly running: number; readonly reserved: number };
  /** Number of times that the device was reported as lost. */
  readonly warnings: number;
  readonly stages: readonly DeviceStageStatistics[];
}
