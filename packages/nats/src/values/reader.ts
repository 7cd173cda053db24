import { natsError } from '../errors.js';

/** Reads the bytes that a `Writer` has written. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The number of bytes that have not been read. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!;
  }

  /**
   * Reads a number of items.
   * @param size the least number of bytes of each item, so that a small message cannot claim many
   */
  count(size: number): number {
    const count = this.#bytes.readUInt32LE(this.#take(4));
    if (count * size <= this.left) return count;
    const [expected, received] = [`at most ${this.left} bytes`, `${count} items of ${size} bytes`];
    throw natsError('ERR_NATS_MESSAGE', { expected, received });
  }

  float64(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  float64s(): number[] {
    return this.#numbers(8, (at) => this.#bytes.readDoubleLE(at));
  }

  float32s(): number[] {
    return this.#numbers(4, (at) => this.#bytes.readFloatLE(at));
  }

  text(encoding: 'utf8' | 'utf16le'): string {
    const size = this.count(1);
    const at = this.#take(size);
    return this.#bytes.toString(encoding, at, at + size);
  }

  /** Returns a view of the bytes of a block. */
  block(): Uint8Array {
    const size = this.count(1);
    const at = this.#take(size);
    return this.#bytes.subarray(at, at + size);
  }

  #numbers(size: number, read: (at: number) => number): number[] {
    const count = this.count(size);
    const start = this.#take(count * size);
    return Array.from({ length: count }, (_, index) => read(start + index * size));
  }

  #take(size: number): number {
    const at = this.#at;
    if (size > this.left) {
      const [expected, received] = [`${size} bytes`, `${this.left} bytes`];
      throw natsError('ERR_NATS_MESSAGE', { expected, received, at: `byte ${at}` });
    }
    this.#at += size;
    return at;
  }
}
