/** Statistics of threads for plans in JavaScript. */
export interface WorkerStatistics {
  /** Largest number of threads, threads that run now, and threads that were lost. */
  readonly limit: number;
  readonly threads: number;
  readonly lost: number;
  /**
   * Chunks in flight; chunks that wait for a thread: of batches that have started, and of new
   * batches.
   */
  readonly open: number;
  readonly begun: number;
  readonly fresh: number;
  /** Chunks that have ended, and their rows. */
  readonly chunks: number;
  readonly rows: number;
  /**
   * Chunks that the calling thread answered, because no thread was ready or the plan cannot leave
   * the thread.
   */
  readonly helped: number;
  /** Chunks that were sent again because their thread was lost. */
  readonly repeated: number;
  /**
   * Bytes of parameters that threads copied for reference kernels; other kernels read parameters in
   * place.
   */
  readonly copiedBytes: number;
}

/** Statistics of executors of plans in JavaScript: shared, and reserved. */
export interface JavaScriptStatistics extends WorkerStatistics {
  readonly reserved: readonly ReservedWorkerStatistics[];
}

export interface ReservedWorkerStatistics extends WorkerStatistics {
  readonly plan: string;
}

/** The statistics of a runtime without JavaScript executors. */
export const NO_WORKERS: JavaScriptStatistics = {
  limit: 0,
  threads: 0,
  lost: 0,
  open: 0,
  begun: 0,
  fresh: 0,
  chunks: 0,
  rows: 0,
  helped: 0,
  repeated: 0,
  copiedBytes: 0,
  reserved: [],
};
