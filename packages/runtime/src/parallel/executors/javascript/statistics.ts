/** What threads for plans in JavaScript are, and what they did since they are there. */
export interface WorkerStatistics {
  /** Most threads, threads that there are now, and threads that were lost. */
  readonly limit: number;
  readonly threads: number;
  readonly lost: number;
  /**
   * Chunks on their way; of those, chunks that no thread has: of batches that have begun, and of
   * new ones.
   */
  readonly open: number;
  readonly begun: number;
  readonly fresh: number;
  /** Chunks that are over, and their rows. */
  readonly chunks: number;
  readonly rows: number;
  /**
   * Chunks that the calling thread answered, because no thread was there yet or the plan cannot
   * leave it.
   */
  readonly helped: number;
  /** Chunks that were sent again because their thread was lost. */
  readonly repeated: number;
  /**
   * Bytes of parameters that threads copied for reference kernels: other kernels read the
   * parameters where they are.
   */
  readonly copiedBytes: number;
}

/** Executors of plans in JavaScript: those for all, and those of plans with a reservation. */
export interface JavaScriptStatistics extends WorkerStatistics {
  readonly reserved: readonly ReservedWorkerStatistics[];
}

export interface ReservedWorkerStatistics extends WorkerStatistics {
  readonly plan: string;
}

/** Of a runtime without such executors. */
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
