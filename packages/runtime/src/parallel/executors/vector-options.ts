/**
 * Limits the pooled vectors that each executor caches. A pooled vector is the memory for the values
 * between the stages of a chunk.
 */
export interface VectorOptions {
  /**
   * The largest number of pooled vectors of one size class that an executor caches, 0 to 1024.
   * Default 16. An executor needs one pooled vector at a time, and one more for each chunk that it
   * has interrupted. Another executor may finish the chunk and then cache its pooled vector.
   */
  readonly perClass?: number;
  /**
   * The largest number of bytes of all pooled vectors that an executor caches. The pooled vectors
   * of the least recently used plans are freed first. With 0, an executor frees the memory after
   * each chunk, and each chunk takes some microseconds longer. Default: no limit, so only
   * `perClass` limits what an executor caches.
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
