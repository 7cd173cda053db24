import { natsError } from '../errors.js';

const FIRST_BYTES = 1024;

/** Writes little-endian numbers, texts and bytes into a buffer that grows up to a limit. */
export class Writer {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  readonly #limit: number;

  /** @param limit the largest number of bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the written bytes. They share memory with the writer. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#buffer[at] = value;
  }

  count(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeUInt32LE(value, at);
  }

  float64(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  float64s(values: readonly number[]): void {
    let at = this.#reserve(values.length * 8);
    for (const value of values) at = this.#buffer.writeDoubleLE(value, at);
  }

  float32s(values: readonly number[]): void {
    let at = this.#reserve(values.length * 4);
    for (const value of values) at = this.#buffer.writeFloatLE(value, at);
  }

  /** Writes the number of bytes and the text in UTF-8 or UTF-16. */
  text(value: string, encoding: 'utf8' | 'utf16le'): void {
    const size = Buffer.byteLength(value, encoding);
    this.count(size);
    const at = this.#reserve(size);
    this.#buffer.write(value, at, size, encoding);
  }

  /** Writes the number of bytes and the bytes. */
  block(bytes: Uint8Array): void {
    this.count(bytes.length);
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /**
   * Returns the offset of the next `size` bytes.
   * @throws ERR_NATS_TOO_LARGE
   */
  #reserve(size: number): number {
    const at = this.#length;
    const needed = at + size;
    if (needed > this.#limit) throw natsError('ERR_NATS_TOO_LARGE', { expected: `at most ${this.#limit} bytes` });
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(needed, this.#buffer.length * 2)));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    this.#length = needed;
    return at;
  }
}
