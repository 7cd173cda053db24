import { readCodePoint, type TextProgramReader, utf8Length, WORD_PADDING, writeCodePoint } from '@brezel/text';
import type { Utf8Text } from './utf8-text.js';

/**
 * Case folding makes a text at most this many times longer. ASCII characters stay one byte long,
 * and other characters at most double.
 */
const GROWTH = 2;

/**
 * Folds texts and finds their words. A processor cannot predict where a word ends, so the code
 * writes all boundaries without a branch. The arrays are scratch memory: the next scan overwrites
 * their content, and a longer text replaces the arrays.
 */
export class WordScanner {
  /** The folded text, followed by `WORD_PADDING` bytes. */
  folded = new DataView(new ArrayBuffer(0));
  /** Start and end of each word in the folded text, alternating. */
  bounds = new Int32Array(0);
  #bytes = new Uint8Array(0);

  constructor() {
    this.#reserve(2048);
  }

  /**
   * Finds the tokens of a text with a text program of mode `runs`. Returns the number of tokens.
   */
  scan(program: TextProgramReader, text: Utf8Text): number {
    this.#reserve(text.length);
    const runs = text.isAscii ? this.#findAsciiRuns(program.ascii, text) : this.#findRuns(program, text);
    return program.minLength > 1 ? this.#dropShort(program.minLength, runs) : runs;
  }

  /** Folds the whole text as one word. Returns its length in bytes. */
  scanWhole(program: TextProgramReader, text: Utf8Text): number {
    this.#reserve(text.length);
    const { bytes, length } = text;
    let end = 0;
    for (let i = 0; i < length; i += utf8Length(bytes[i]!)) {
      const codePoint = readCodePoint(bytes, i);
      end = writeCodePoint(codePoint + (program.entry(codePoint) >> 1), this.#bytes, end);
    }
    return end;
  }

  /**
   * Folds an ASCII text and finds its words. Each round of the loop reads four bytes, because V8
   * reads the length and address of every array again in each round of a loop. The last round may
   * read up to three bytes of an earlier text; boundaries in these bytes are dropped.
   */
  #findAsciiRuns(ascii: Uint8Array, { view, length }: Utf8Text): number {
    const { folded, bounds } = this;
    let count = 0;
    let before = 0;
    for (let i = 0; i < length; i += 4) {
      const four = view.getInt32(i, true);
      const entry0 = ascii[four & 127]!;
      const entry1 = ascii[(four >>> 8) & 127]!;
      const entry2 = ascii[(four >>> 16) & 127]!;
      const entry3 = ascii[(four >>> 24) & 127]!;
      folded.setInt32(i, (entry0 | (entry1 << 8) | (entry2 << 16) | (entry3 << 24)) & 0x7f7f7f7f, true);
      // The next position overwrites the entry unless a run begins or ends here.
      bounds[count] = i;
      count = (count + ((entry0 >>> 7) ^ before)) | 0;
      bounds[count] = i + 1;
      count = (count + ((entry1 ^ entry0) >>> 7)) | 0;
      bounds[count] = i + 2;
      count = (count + ((entry2 ^ entry1) >>> 7)) | 0;
      bounds[count] = i + 3;
      count = (count + ((entry3 ^ entry2) >>> 7)) | 0;
      before = entry3 >>> 7;
    }
    while (count > 0 && bounds[count - 1]! >= length) count--;
    bounds[count] = length;
    return (count + 1) >> 1;
  }

  /** Folds a text that is not ASCII, and finds its words. Returns the number of words. */
  #findRuns(program: TextProgramReader, { bytes, length }: Utf8Text): number {
    const { ascii } = program;
    const folded = this.#bytes;
    const { bounds } = this;
    let end = 0;
    let count = 0;
    let isInside = 0;
    for (let i = 0; i < length; ) {
      const byte = bytes[i]!;
      let isIn: number;
      bounds[count] = end;
      if (byte < 128) {
        const entry = ascii[byte]!;
        folded[end++] = entry & 127;
        isIn = entry >>> 7;
        i++;
      } else {
        const codePoint = readCodePoint(bytes, i);
        const entry = program.entry(codePoint);
        end = writeCodePoint(codePoint + (entry >> 1), folded, end);
        isIn = entry & 1;
        i += utf8Length(byte);
      }
      count += isIn ^ isInside;
      isInside = isIn;
    }
    bounds[count] = end;
    return (count + 1) >> 1;
  }

  /**
   * Removes tokens with fewer than `minLength` code points. Returns the number of remaining tokens.
   */
  #dropShort(minLength: number, runs: number): number {
    const { bounds } = this;
    let words = 0;
    for (let run = 0; run < runs; run++) {
      const start = bounds[2 * run]!;
      const end = bounds[2 * run + 1]!;
      bounds[2 * words] = start;
      bounds[2 * words + 1] = end;
      words += (minLength - 1 - this.#codePoints(start, end)) >>> 31;
    }
    return words;
  }

  #codePoints(start: number, end: number): number {
    const folded = this.#bytes;
    let count = 0;
    for (let at = start; at < end; at++) count += (folded[at]! & 0xc0) === 0x80 ? 0 : 1;
    return count;
  }

  /**
   * Reserves memory for a text of `textBytes` bytes. In the worst case, each byte is the boundary
   * of a word.
   */
  #reserve(textBytes: number): void {
    const foldedBytes = textBytes * GROWTH + WORD_PADDING;
    if (this.#bytes.length >= foldedBytes) return;
    const bytes = new Uint8Array(foldedBytes * 2);
    this.bounds = new Int32Array(foldedBytes + 8);
    this.folded = new DataView(bytes.buffer);
    this.#bytes = bytes; // last, because an earlier allocation may throw
  }
}
