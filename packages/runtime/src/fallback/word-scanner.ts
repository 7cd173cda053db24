import { readCodePoint, type TextProgramReader, utf8Length, writeCodePoint } from '@brezel/object-store';
import type { Utf8Text } from './utf8-text.js';

/** Folding keeps ASCII one byte; what has two bytes or more at most doubles. */
const GROWTH = 2;

/**
 * Cuts texts into words, laid out as the dictionary's keys are: each word starts a 16-byte block, zero padded, and byte 15 of a short
 * word is its length. Arrays are scratch: the next scan overwrites them, and growing replaces them.
 */
export class WordScanner {
  cells = new Int32Array(1024);
  starts = new Int32Array(256);
  lengths = new Int32Array(256);
  #bytes = new Uint8Array(this.cells.buffer);
  /** Bytes up to here may be other than zero. */
  #used = 0;

  /** Finds the tokens of a text under a program of mode `runs` and returns how many there are. */
  scan(program: TextProgramReader, { bytes: text, length }: Utf8Text): number {
    this.#clear();
    this.#reserveWords((length >> 1) + 1);
    const { ascii, minLength } = program;
    const { starts, lengths } = this;
    let count = 0;
    let start = 0;
    let i = 0;
    while (i < length) {
      this.#reserveBytes(start, length - i);
      const bytes = this.#bytes;
      let end = start;
      let codePoints = 0;
      while (i < length) {
        const byte = text[i]!;
        if (byte < 128) {
          i++;
          const folded = ascii[byte]!;
          if (folded < 128) break;
          bytes[end++] = folded - 128;
        } else {
          const codePoint = readCodePoint(text, i);
          i += utf8Length(byte);
          const entry = program.entry(codePoint);
          if ((entry & 1) === 0) break;
          end = writeCodePoint(codePoint + (entry >> 1), bytes, end);
        }
        codePoints++;
      }
      if (codePoints < minLength) {
        while (end > start) bytes[--end] = 0; // minLength is at least 1
        continue;
      }
      starts[count] = start >> 2;
      lengths[count++] = end - start;
      if (end - start < 16) bytes[start + 15] = end - start;
      start = (end + 15) & ~15;
    }
    this.#used = start;
    return count;
  }

  /** Lays out the whole folded text as the one word and returns its length in bytes. */
  scanWhole(program: TextProgramReader, { bytes: text, length }: Utf8Text): number {
    this.#clear();
    this.#reserveBytes(0, length);
    let end = 0;
    for (let i = 0; i < length; i += utf8Length(text[i]!)) {
      const codePoint = readCodePoint(text, i);
      end = writeCodePoint(codePoint + (program.entry(codePoint) >> 1), this.#bytes, end);
    }
    if (end < 16) this.#bytes[15] = end;
    this.#used = Math.max(16, end);
    return end;
  }

  #clear(): void {
    this.#bytes.fill(0, 0, this.#used);
  }

  #reserveWords(words: number): void {
    if (this.starts.length >= words) return;
    this.starts = new Int32Array(words * 2);
    this.lengths = new Int32Array(words * 2);
  }

  /** Room for `textBytes` more behind `start`, and for the padding of a last block. */
  #reserveBytes(start: number, textBytes: number): void {
    const bytes = start + textBytes * GROWTH + 32;
    if (this.#bytes.length >= bytes) return;
    const cells = new Int32Array(Math.ceil(bytes / 2));
    cells.set(this.cells);
    this.cells = cells;
    this.#bytes = new Uint8Array(cells.buffer);
  }
}
