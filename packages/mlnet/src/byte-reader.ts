import { damaged } from './errors.js';

/**
 * Reads little-endian numbers one after another from the bytes of an archive entry. Rejects a list
 * whose declared length exceeds the remaining bytes.
 */
export class ByteReader {
  readonly at: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #position: number;

  /** @param at the name of the entry, for errors. */
  constructor(bytes: Uint8Array, at: string, start = 0, end = bytes.length) {
    this.at = at;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#position = start;
    this.#end = end;
  }

  get position(): number {
    return this.#position;
  }

  get left(): number {
    return this.#end - this.#position;
  }

  byte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  /** Reads a byte that must be 0 or 1. */
  bool(): boolean {
    const value = this.byte();
    if (value > 1) throw this.fail('a byte that is 0 or 1', `${value}`);
    return value === 1;
  }

  int(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  uint(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** Reads a 64-bit size or position. */
  long(): number {
    const value = Number(this.#view.getBigInt64(this.#take(8), true));
    if (!(value >= 0 && Number.isSafeInteger(value))) throw this.fail('a size', `${value}`);
    return value;
  }

  float(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /**
   * Reads the number of items of the list that follows. Throws if the remaining bytes cannot
   * contain so many items of at least `bytesEach` bytes.
   */
  count(bytesEach: number): number {
    const count = this.int();
    if (count >= 0 && count * bytesEach <= this.left) return count;
    throw this.fail(`a count of things of ${bytesEach} bytes in ${this.left} bytes`, `${count}`);
  }

  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  ints(count = this.count(4)): Int32Array {
    const at = this.#take(4 * count);
    return Int32Array.from({ length: count }, (_, place) => this.#view.getInt32(at + 4 * place, true));
  }

  floats(count = this.count(4)): Float32Array {
    const at = this.#take(4 * count);
    return Float32Array.from({ length: count }, (_, place) => this.#view.getFloat32(at + 4 * place, true));
  }

  doubles(count = this.count(8)): Float64Array {
    const at = this.#take(8 * count);
    return Float64Array.from({ length: count }, (_, place) => this.#view.getFloat64(at + 8 * place, true));
  }

  /** Reads an integer of at most 35 bits in LEB128 form, in which .NET writes lengths. */
  leb(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw this.fail('an integer of at most 35 bits', 'a longer one');
  }

  /** Reads UTF-8 text after its length. */
  text(): string {
    const bytes = this.bytes(this.leb());
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  }

  /**
   * Checks that all bytes were read.
   * @throws ERR_MLNET_FORMAT if bytes remain.
   */
  end(): void {
    if (this.left !== 0) throw this.fail('the end', `${this.left} more bytes`);
  }

  fail(expected: string, received: string) {
    return damaged(`${this.at}, byte ${this.#position}`, expected, received);
  }

  #take(count: number): number {
    const at = this.#position;
    if (!(count >= 0 && count <= this.#end - at)) throw this.fail(`${count} bytes`, `${this.#end - at}`);
    this.#position = at + count;
    return at;
  }
}
