/** What lies in the pool. */
export interface BufferStatistics {
  /** Buffers that wait for the next call. */
  readonly buffers: number;
  readonly bytes: number;
  /** All that were ever made: it stands still while shapes repeat. */
  readonly made: number;
}

const LEAST_BYTES = 256;
/** What is kept for calls to come; a burst of large requests does not stay for ever. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Memory that travels between threads with requests, and comes back with answers: a buffer that was transferred away is the other thread's until it
 * returns. Sizes are powers of two, so that requests of about the same size share.
 */
export class Buffers {
  readonly #spare = new Map<number, ArrayBuffer[]>();
  #bytes = 0;
  #made = 0;

  /** At least so many bytes; what was in them before is still there. */
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

  /** One that came back. Others than those of `take` are let go. */
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
