/** Memory between the stages of a chunk, which each executor keeps for the next chunks. */
export interface VectorOptions {
  /**
   * Vectors of one size class that an executor keeps, 0 to 1024. It uses one at a time, and one
   * more for each higher priority that interrupts a chunk; chunks may come back to another executor
   * than lent them theirs. Default 16.
   */
  readonly perClass?: number;
  /**
   * Bytes of vectors that an executor keeps, of all classes together; those of plans that asked
   * least recently go first. 0: memory goes back after each chunk, which then costs some
   * microseconds more. Default: what the plans' classes take, which follow from their statistics.
   */
  readonly maxBytes?: number;
}

/** The same with defaults. */
export interface VectorLimits {
  readonly perClass: number;
  readonly maxBytes: number | undefined;
}

export const DEFAULT_VECTORS_PER_CLASS = 16;
export const GREATEST_VECTORS_PER_CLASS = 1024;
export const GREATEST_VECTOR_BYTES = 1e15;
