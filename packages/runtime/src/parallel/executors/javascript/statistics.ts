/** Statistics of worker threads that run plans in JavaScript. */
export interface WorkerStatistics {
  /** The maximal number of threads. */
  readonly limit: number;
  /** The number of threads that run now. */
  readonly threads: number;
  /** The number of threads that ended unexpectedly. */
  readonly lost: number;
  /** Chunks in flight: they run or wait for a thread. */
  readonly open: number;
  /** Waiting chunks of batches from which threads have taken 1 to 7 chunks. They run first. */
  readonly begun: number;
  /** Waiting chunks of all other batches. */
  readonly fresh: number;
  /** Finished chunks. */
  readonly chunks: number;
  /** Rows of finished chunks. */
  readonly rows: number;
  /**
   * Chunks that the calling thread answered, because no thread was ready or the plan cannot run on
   * another thread.
   */
  readonly helped: number;
  /** Chunks that were sent again because the thread that ran them was lost. */
  readonly repeated: number;
  /**
   * Bytes of parameters that threads have copied for reference kernels. Other kernels read the
   * parameters in shared memory.
   */
  readonly copiedBytes: number;
}

/**
 * Statistics of JavaScript executors: of the shared executors, and of the executors that are
 * reserved for a plan.
 */
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
