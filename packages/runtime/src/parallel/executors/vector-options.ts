/** Limits the vectors that each executor caches between the stages of chunks. */
export interface VectorOptions {
  /**
   * The maximal number of vectors of one size class that an executor caches, 0 to 1024. Default 16.
   * An executor uses one vector at a time, and one more for each higher priority that interrupts a
   * chunk. A chunk may return its vectors to another executor.
   */
  readonly perClass?: number;
  /**
   * The maximal bytes of all vectors that an executor caches. The vectors of the least recently
   * used plans are freed first. With 0, memory is freed after each chunk, which then takes some
   * microseconds longer. Default: the total size of the plans' classes, from their statistics.
   */
  readonly maxBytes?: number;
}

/** Valid vector options, with defaults filled in. */
export interface VectorLimits {
  readonly perClass: number;
  readonly maxBytes: number | undefined;
}

export const DEFAULT_VECTORS_PER_CLASS = 16;
export const GREATEST_VECTORS_PER_CLASS = 1024;
export const GREATEST_VECTOR_BYTES = 1e15;
