import type { Dictionary, DictionaryEntry, InputPort } from '@brezel/core';
import { tooLongDictionary } from '../../errors.js';
import type { Column } from '../row-schema.js';

// Dictionaries as the addon reads them (native/src/packed_dictionary.hpp): entries one after
// another, each a tag, its key, its value.

const tags = { number: 0, integer: 1, text: 2, list: 3 } as const;
/** Beside its text: the tag of an entry, and the bytes that say how long a text or a list is. */
const [TAG_BYTES, LENGTH_BYTES, NUMBER_BYTES] = [1, 4, 8];

/** Columns that the addon can take. */
export type NativeInput = Exclude<Column, Dictionary[]>;

/**
 * Packs the dictionaries among columns of rows; other columns stay as they are.
 *
 * @param first number of the first row, for errors.
 * @throws ERR_RUNTIME_INPUT for a dictionary that is longer than `maxInputBytes`, as
 * `dictionaryBytes` counts.
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

/** Each row's bytes; all lie in one buffer. */
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

/** A buffer that grows, and is kept while it is small. */
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

  /** Packs a row; returns the bytes of its keys, texts and numbers alone. */
  add(entries: Dictionary): number {
    const before = this.length;
    let around = 0;
    for (const [key, entry] of entries) around += this.#entry(key, entry);
    return this.length - before - around;
  }

  /** Returns how many bytes are neither key nor value. */
  #entry(key: string, entry: DictionaryEntry): number {
    const tag = this.length;
    this.#room(TAG_BYTES);
    this.length += TAG_BYTES;
    this.#text(key);
    const kind = this.#value(entry); // first: it may put the bytes elsewhere
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

  /** A call into Buffer costs more than a short text. */
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
