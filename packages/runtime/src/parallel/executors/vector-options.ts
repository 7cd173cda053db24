/** Limits of the vectors that each executor caches between the stages of chunks. */
export interface VectorOptions {
  /**
   * The largest number of vectors of one size class that an executor caches, 0 to 1024. It uses one
   * at a time, and one more for each higher priority that interrupts a chunk. A chunk may return
   * its vectors to another executor. Default 16.
   */
  readonly perClass?: number;
  /**
   * The largest number of bytes of all vectors that an executor caches. Vectors of the least
   * recently used plans are freed first. 0: memory is freed after each chunk, which then costs some
   * microseconds more. Default: the size of the plans' classes, from their statistics.
   */
  readonly maxBytes?: number;
}

/** Vector options with their defaults. */
export interface VectorLimits {
  readonly perClass: number;
  readonly maxBytes: number | undefined;
}

export const DEFAULT_VECTORS_PER_CLASS = 16;
export const GREATEST_VECTORS_PER_CLASS = 1024;
export const GREATEST_VECTOR_BYTES = 1e15;
