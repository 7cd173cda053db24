/** Statistics of a stage on a device. */
export interface DeviceStageStatistics {
  readonly key: string;
  /** Number of plans that use the stage. */
  readonly plans: number;
  /** The backend's execution provider that runs the stage, once the stage is open. */
  readonly provider?: string;
  /**
   * `absent`: the machine has no such device. `resting`: the stage failed, and runs on the CPU
   * until the next attempt.
   */
  readonly state: 'opening' | 'ready' | 'resting' | 'absent';
  /**
   * The maximal number of rows in a call. If the device runs out of memory in a call, the new
   * maximum is half of the rows of this call.
   */
  readonly maxBatch: number;
  /** Number of answered device calls. `rows` is the total number of their rows. */
  readonly calls: number;
  readonly rows: number;
  /**
   * Number of rows that ran on the CPU, because they were too few for a call, or because the device
   * was not ready or failed.
   */
  readonly cpuRows: number;
  /** Number of rows that the CPU computed again because the device returned NaN or infinities. */
  readonly repairedRows: number;
  readonly waitingRows: number;
  /** Bytes that were copied to and from the device. */
  readonly transferBytes: number;
  /** Total time of all calls in microseconds, from submitting rows to receiving answers. */
  readonly micros: number;
  /**
   * Number of failed calls and failed attempts to open. The requests of failed calls ran on the
   * CPU.
   */
  readonly failures: number;
  readonly lastFailure?: string;
}

/** Statistics of a backend with the execution providers that plans selected. */
export interface DeviceStatistics {
  readonly backend: string;
  /** If undefined, the backend selects a provider for a GPU. */
  readonly providers?: readonly string[];
  /**
   * The maximal number of calls in flight, the calls in flight now, and the calls that plans have
   * reserved.
   */
  readonly calls: { readonly limit: number; readonly running: number; readonly reserved: number };
  /** Number of warnings about failures of the device. */
  readonly warnings: number;
  readonly stages: readonly DeviceStageStatistics[];
}
