import type { Dictionary, DictionaryEntry, InputPort } from '@brezel/core';
import { tooLongDictionary } from '../../errors.js';
import type { Column } from '../rows/row-schema.js';

// Tags of the entries in packed dictionaries (native/src/packed_dictionary.hpp). A dictionary is a
// sequence of entries: tag, key, value.

const tags = { number: 0, integer: 1, text: 2, list: 3 } as const;
/**
 * The sizes in bytes of a tag, of the length of a text or list, and of a number in a packed
 * dictionary.
 */
const [TAG_BYTES, LENGTH_BYTES, NUMBER_BYTES] = [1, 4, 8];

/** A column in a form that the addon reads. */
export type NativeInput = Exclude<Column, Dictionary[]>;

/**
 * Packs the dictionaries in columns of rows. Other columns stay unchanged.
 *
 * @param first index of the first row in the request, for error messages
 * @throws ERR_RUNTIME_INPUT for a dictionary that is longer than `maxInputBytes`, measured by
 * `dictionaryBytes`.
 */
export function packColumns(
  inputs: readonly InputPort[],
  columns: readonly Column[],
  maxInputBytes: number,
  first: number,
): readonly NativeInput[] {
  const isPacked = ({ type, unused }: InputPort) => type.kind === 'dictionary' && !unused;
  if (!inputs.some(isPacked)) return columns as readonly NativeInput[];
  return columns.map((column, at) =>
    isPacked(inputs[at]!) ? packDictionaries(column as Dictionary[], maxInputBytes, first) : (column as NativeInput),
  );
}

/** Packs dictionaries into one buffer. Returns the packed bytes of each row. */
export function packDictionaries(rows: readonly Dictionary[], maxInputBytes: number, first: number): Uint8Array[] {
  packer.start();
  const ends = rows.map((entries, row) => {
    const bytes = packer.add(entries);
    if (bytes > maxInputBytes) throw tooLongDictionary(bytes, maxInputBytes, first + row);
    return packer.length;
  });
  const all = packer.copy();
  return ends.map((end, row) => all.subarray(row === 0 ? 0 : ends[row - 1], end));
}

/**
 * A growing buffer for packed dictionaries. The next call reuses the buffer unless it has become
 * large.
 */
class Packer {
  static readonly #KEPT = 2 ** 20;
  #bytes = Buffer.allocUnsafeSlow(4096);
  length = 0;

  start(): void {
    this.length = 0;
    if (this.#bytes.length > Packer.#KEPT) this.#bytes = Buffer.allocUnsafeSlow(4096);
  }

  copy(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.length));
  }

  /** Packs the dictionary of a row. Returns the number of bytes of its keys, texts and numbers. */
  add(entries: Dictionary): number {
    const before = this.length;
    let around = 0;
    for (const [key, entry] of entries) around += this.#entry(key, entry);
    return this.length - before - around;
  }

  /** Packs an entry. Returns the number of bytes of its tag and lengths. */
  #entry(key: string, entry: DictionaryEntry): number {
    const tag = this.length;
    this.#room(TAG_BYTES);
    this.length += TAG_BYTES;
    this.#text(key);
    const kind = this.#value(entry); // first, because it may reallocate the bytes
    this.#bytes[tag] = kind;
    const texts = typeof entry === 'object' ? 1 + entry.length : typeof entry === 'string' ? 1 : 0;
    return TAG_BYTES + LENGTH_BYTES * (1 + texts);
  }

  #value(entry: DictionaryEntry): number {
    if (typeof entry === 'string') {
      this.#text(entry);
      return tags.text;
    }
    if (typeof entry === 'object') {
      this.#room(LENGTH_BYTES);
      this.length = this.#bytes.writeUInt32LE(entry.length, this.length);
      for (const text of entry) this.#text(text);
      return tags.list;
    }
    this.#room(NUMBER_BYTES);
    if (typeof entry === 'bigint') {
      this.length = this.#bytes.writeBigInt64LE(entry, this.length);
      return tags.integer;
    }
    this.length = this.#bytes.writeDoubleLE(entry, this.length);
    return tags.number;
  }

  #text(text: string): void {
    this.#room(LENGTH_BYTES + text.length * 3);
    const start = this.length + LENGTH_BYTES;
    const bytes = this.#ascii(text, start) ?? this.#bytes.write(text, start);
    this.#bytes.writeUInt32LE(bytes, this.length);
    this.length = start + bytes;
  }

  /**
   * Writes a short ASCII text byte by byte, because a call of a Buffer method costs more. Returns
   * undefined for other texts.
   */
  #ascii(text: string, start: number): number | undefined {
    const most = 32;
    if (text.length > most) return undefined;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) return undefined;
      this.#bytes[start + at] = unit;
    }
    return text.length;
  }

  #room(more: number): void {
    const needed = this.length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }
}

const packer = new Packer();
