import type { WireFunctions } from '@brezel/object-store';

/**
 * Adjacent entries of a list of strings in a file. Each entry consists of a tag, a length and its
 * bytes.
 */
export interface StringRun {
  /** The offset of the first entry's length, after its tag. */
  readonly start: number;
  readonly end: number;
  readonly tag: number;
  readonly count: number;
}

/** The offset and the length of each entry, in bytes. */
interface Places {
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
}

/**
 * A list of byte strings. It stores only an offset and a length for each entry (8 bytes) instead of
 * an object, because vocabularies have millions of entries.
 *
 * The entries stay in the buffer of the file, so the list keeps the whole file in memory.
 */
export class BytesList {
  /** The number of entries. */
  readonly length: number;
  readonly #buffer: Buffer;
  readonly #run: StringRun | undefined;
  readonly #find: () => Places;
  #places: Places | undefined;

  private constructor(
    /** The buffer that contains all entries. For a list from a file, this is the whole file. */
    readonly bytes: Uint8Array,
    length: number,
    find: () => Places,
    run?: StringRun,
  ) {
    this.length = length;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#find = find;
    this.#run = run;
  }

  /** Returns a list of the entries with these offsets and lengths in `bytes`. */
  static at(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array): BytesList {
    return new BytesList(bytes, offsets.length, () => ({ offsets, lengths }));
  }

  /**
   * Returns a list of adjacent entries. The addon finds the offsets of the entries only when they
   * are first used. Most vocabularies are equal to one in the store, and comparing them needs no
   * offsets.
   */
  static ofRun(bytes: Uint8Array, run: StringRun, wire: WireFunctions): BytesList {
    return new BytesList(bytes, run.count, () => wire.strings(bytes, run.start, run.end, run.tag), run);
  }

  get offsets(): Uint32Array {
    return this.#found().offsets;
  }

  get lengths(): Uint32Array {
    return this.#found().lengths;
  }

  #found(): Places {
    this.#places ??= this.#find();
    return this.#places;
  }

  /** Returns a list with copies of byte strings, or of the UTF-8 bytes of texts, in one buffer. */
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
    return BytesList.at(new Uint8Array(buffer.buffer, buffer.byteOffset, total), offsets, lengths);
  }

  /**
   * Returns entry `index` as a view of the buffer. The caller must pass an index below `length`.
   */
  at(index: number): Uint8Array {
    const { offsets, lengths } = this.#found();
    const start = offsets[index]!;
    return this.bytes.subarray(start, start + lengths[index]!);
  }

  /** Returns entry `index` as text. Bytes that are not UTF-8 become U+FFFD. */
  text(index: number): string {
    const { offsets, lengths } = this.#found();
    const start = offsets[index]!;
    return this.#buffer.toString('utf8', start, start + lengths[index]!);
  }

  /**
   * Returns bytes that differ for different lists: two lists have equal bytes only if their entries
   * are equal.
   */
  identity(): Uint8Array[] {
    if (this.#run !== undefined) return [this.bytes.subarray(this.#run.start, this.#run.end)];
    const { offsets, lengths } = this.#found();
    const last = this.length - 1;
    const sizes = new Uint8Array(lengths.buffer, lengths.byteOffset, lengths.byteLength);
    return [last < 0 ? new Uint8Array() : this.bytes.subarray(offsets[0]!, offsets[last]! + lengths[last]!), sizes];
  }

  /**
   * Returns the result of `of` for each entry, a number below 256. Calls `of` only once for each
   * different text, so use this method for lists with few different texts. Cost: about 10 ns per
   * entry.
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
    const { offsets, lengths } = this.#found();
    if (lengths[index] !== bytes.length) return false;
    const start = offsets[index]!;
    for (let at = 0; at < bytes.length; at++) if (this.bytes[start + at] !== bytes[at]) return false;
    return true;
  }

  /** Returns all entries as text. Cost: about 0.1 µs per entry. */
  texts(): string[] {
    return Array.from({ length: this.length }, (_, index) => this.text(index));
  }
}

/**
 * Decodes the bytes of a string value. (Names must be valid UTF-8; `Input.name` decodes them.)
 * Bytes that are not UTF-8 become U+FFFD. A leading byte-order mark stays in the text.
 */
export function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
