/**
 * A list of byte strings, stored as offsets into one buffer: 8 bytes per entry instead of an object
 * each, because dictionaries have millions of entries.
 *
 * Shares the buffer that it was read from, and holds it in memory.
 */
export class BytesList {
  readonly #buffer: Buffer;

  constructor(
    /** The buffer that holds all entries. It is the whole file for a list read from a file. */
    readonly bytes: Uint8Array,
    readonly offsets: Uint32Array,
    readonly lengths: Uint32Array,
  ) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Copies byte strings, or the UTF-8 of strings, into one buffer. */
  static of(values: readonly (string | Uint8Array)[]): BytesList {
    const lengths = Uint32Array.from(values, (value) => Buffer.byteLength(value));
    const offsets = new Uint32Array(values.length);
    let total = 0;
    for (const [index, length] of lengths.entries()) {
      offsets[index] = total;
      total += length;
    }
    const buffer = Buffer.alloc(total);
    for (const [index, value] of values.entries()) {
      if (typeof value === 'string') buffer.write(value, offsets[index]!, 'utf8');
      else buffer.set(value, offsets[index]!);
    }
    return new BytesList(new Uint8Array(buffer.buffer, buffer.byteOffset, total), offsets, lengths);
  }

  get length(): number {
    return this.offsets.length;
  }

  /** Returns entry `index` as a view; `index` is less than `length`. */
  at(index: number): Uint8Array {
    const start = this.offsets[index]!;
    return this.bytes.subarray(start, start + this.lengths[index]!);
  }

  /** Returns entry `index` as text. Bytes that are not UTF-8 become U+FFFD. */
  text(index: number): string {
    const start = this.offsets[index]!;
    return this.#buffer.toString('utf8', start, start + this.lengths[index]!);
  }

  /**
   * Returns the part of the buffer from the start of the first entry to the end of the last, gaps
   * included.
   */
  region(): Uint8Array {
    const last = this.length - 1;
    return last < 0
      ? new Uint8Array()
      : this.bytes.subarray(this.offsets[0]!, this.offsets[last]! + this.lengths[last]!);
  }

  /**
   * Returns a number below 256 for each entry. Calls `of` once for each different text. Use it for
   * lists with few different texts. Cost: about 10 ns per entry.
   */
  codes(of: (text: string) => number): Uint8Array {
    const codes = new Uint8Array(this.length);
    const known: { readonly bytes: Uint8Array; readonly code: number }[] = [];
    for (let index = 0; index < codes.length; index++) {
      let found = known.find(({ bytes }) => this.#equals(index, bytes));
      if (found === undefined) {
        found = { bytes: this.at(index), code: of(this.text(index)) };
        known.push(found);
      }
      codes[index] = found.code;
    }
    return codes;
  }

  #equals(index: number, bytes: Uint8Array): boolean {
    if (this.lengths[index] !== bytes.length) return false;
    const start = this.offsets[index]!;
    for (let at = 0; at < bytes.length; at++) if (this.bytes[start + at] !== bytes[at]) return false;
    return true;
  }

  /** Returns all entries as text. Cost: about 0.1 µs per entry. */
  texts(): string[] {
    return Array.from({ length: this.length }, (_, index) => this.text(index));
  }
}

/**
 * Decodes data (not names) as text; what is not UTF-8 becomes U+FFFD. A leading byte-order mark is
 * text.
 */
export function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
