/** What a stage does on a device. */
export interface DeviceStageStatistics {
  readonly key: string;
  /** Plans whose rows it gathers. */
  readonly plans: number;
  /** The backend's provider that runs it, once it is open. */
  readonly provider?: string;
  /**
   * `absent`: the machine has no such device. `resting`: it failed, and the CPU runs it until it is
   * tried again.
   */
  readonly state: 'opening' | 'ready' | 'resting' | 'absent';
  /** Most rows of a call; halved each time the device has no memory for so many. */
  readonly maxBatch: number;
  /** Calls of the device that were answered, and the rows in them. */
  readonly calls: number;
  readonly rows: number;
  /**
   * Rows that came for the device and were run by the CPU: too few for a call, or the device
   * failed.
   */
  readonly cpuRows: number;
  /** Rows of the device's that were run by the CPU again, since NaN or infinities came out. */
  readonly repairedRows: number;
  readonly waitingRows: number;
  /** To the device and back. */
  readonly transferBytes: number;
  /** Time of all calls, from the rows' leaving to the answers' arriving, in microseconds. */
  readonly micros: number;
  /** Calls and openings that failed. No request failed with them. */
  readonly failures: number;
  readonly lastFailure?: string;
}

/** A backend with the providers that plans named. */
export interface DeviceStatistics {
  readonly backend: string;
  /** Undefined: the backend's choice for a GPU. */
  readonly providers?: readonly string[];
  /** Calls that may be on their way at once, that are, and that are set aside for plans. */
  readonly calls: { readonly limit: number; readonly running: number; readonly reserved: number };
  /** Times that the device was reported lost. */
  readonly warnings: number;
  readonly stages: readonly DeviceStageStatistics[];
}
