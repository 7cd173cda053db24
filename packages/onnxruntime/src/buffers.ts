/** Statistics of the reused buffers. */
export interface BufferStatistics {
  /** Number of idle buffers. */
  readonly buffers: number;
  readonly bytes: number;
  /**
   * Number of buffers allocated so far. It does not increase while requests have the same shapes.
   */
  readonly made: number;
}

const LEAST_BYTES = 256;
/**
 * The largest total size of idle buffers in bytes. Without this limit, much memory would stay
 * allocated after a burst of large requests.
 */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Buffers that are transferred to a worker thread with a request, and back with the answer. While a
 * worker thread owns a buffer, this thread cannot read it.
 *
 * Sizes are powers of two, so that requests of similar sizes share buffers.
 */
export class Buffers {
  readonly #spare = new Map<number, ArrayBuffer[]>();
  #bytes = 0;
  #made = 0;

  /**
   * Returns a buffer with at least `bytes` bytes. The buffer may contain data of earlier requests.
   */
  take(bytes: number): ArrayBuffer {
    const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, LEAST_BYTES)));
    const found = this.#spare.get(size)?.pop();
    if (found === undefined) {
      this.#made += 1;
      return new ArrayBuffer(size);
    }
    this.#bytes -= size;
    return found;
  }

  /**
   * Caches a buffer for reuse. Drops buffers of sizes that `take` never returns, and buffers beyond
   * `MOST_BYTES`.
   */
  give(buffer: ArrayBuffer): void {
    const size = buffer.byteLength;
    if (size < LEAST_BYTES || !Number.isInteger(Math.log2(size)) || this.#bytes + size > MOST_BYTES) return;
    this.#bytes += size;
    const spare = this.#spare.get(size);
    if (spare === undefined) this.#spare.set(size, [buffer]);
    else spare.push(buffer);
  }

  clear(): void {
    this.#spare.clear();
    this.#bytes = 0;
  }

  stats(): BufferStatistics {
    let buffers = 0;
    for (const spare of this.#spare.values()) buffers += spare.length;
    return { buffers, bytes: this.#bytes, made: this.#made };
  }
}
