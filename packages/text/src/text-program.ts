import { storeError } from '@brezel/object-store';
import { alignedBytes, BlobLayout } from './blob-layout.js';
import { type CaseAction, foldDeltas } from './case-folding.js';
import { type CharClass, hasCodePoint } from './char-class.js';
import { CODE_POINTS, PAGE, toPages } from './code-point-table.js';

/**
 * The value of the first field of a text program (`BZTK`, native/README.md, section 3). A text
 * program contains the tables with which kernels fold a text and split it into tokens or
 * characters.
 */
export const TEXT_PROGRAM_MAGIC = 0x4b545a42;
export const TEXT_PROGRAM_VERSION = 1;

const Field = {
  magic: 0,
  version: 1,
  mode: 2,
  minLength: 3,
  pageIndex: 4,
  pages: 5,
  pageCount: 6,
  totalBytes: 7,
  ascii: 8,
} as const;
const HEADER_FIELDS = 9;

/**
 * How a text is split. `runs`: a token consists of as many adjacent code points of the class as
 * possible. `characters`: each code point of the class is a symbol; n-grams do not extend over
 * other code points.
 */
export type TextMode = 'runs' | 'characters';

export interface TextProgram {
  /** How to fold the case of the text before it is split. */
  readonly fold: CaseAction;
  readonly mode: TextMode;
  /** The code points that a token may contain, after folding. */
  readonly charClass: CharClass;
  /**
   * The least number of code points of a token. Shorter tokens are dropped. Only in mode `runs`.
   */
  readonly minLength: number;
}

/** Builds the `BZTK` blob of a text program. Equal text programs have equal bytes. Cost: 1 ms. */
export function buildTextProgram({ fold, mode, charClass, minLength }: TextProgram): Uint8Array {
  const { pageIndex, pages } = toPages((page, values) => fillPage(page, values, fold, charClass));
  const layout = new BlobLayout(HEADER_FIELDS);
  const pageIndexAt = layout.section(pageIndex.byteLength);
  const pagesAt = layout.section(pages.byteLength);
  const asciiAt = layout.section(256);
  const blob = new Uint8Array(layout.totalBytes);
  const header = new Uint32Array(blob.buffer, 0, HEADER_FIELDS);
  header[Field.magic] = TEXT_PROGRAM_MAGIC;
  header[Field.version] = TEXT_PROGRAM_VERSION;
  header[Field.mode] = mode === 'runs' ? 0 : 1;
  header[Field.minLength] = mode === 'runs' ? Math.max(1, minLength) : 1;
  header[Field.pageIndex] = pageIndexAt;
  header[Field.pages] = pagesAt;
  header[Field.pageCount] = pages.length / 256;
  header[Field.totalBytes] = blob.length;
  header[Field.ascii] = asciiAt;
  new Uint16Array(blob.buffer, pageIndexAt, pageIndex.length).set(pageIndex);
  new Int32Array(blob.buffer, pagesAt, pages.length).set(pages);
  for (let codePoint = 0; codePoint < 128; codePoint++) {
    const entry = pages[pageIndex[0]! * PAGE + codePoint]!;
    blob[asciiAt + codePoint] = codePoint + (entry >> 1);
    blob[asciiAt + 128 + codePoint] = entry & 1;
  }
  return blob;
}

/**
 * Writes the entries for a page of 256 code points. If all code points of the page have the same
 * entry, it may return this entry instead.
 */
function fillPage(page: number, values: Int32Array, fold: CaseAction, charClass: CharClass): number | undefined {
  const deltas = foldDeltas(page, fold);
  const first = page * PAGE;
  if (deltas === undefined) {
    const covering = uniformClass(charClass, first, first + PAGE - 1);
    if (covering !== undefined) return covering;
  }
  for (let offset = 0; offset < PAGE; offset++) {
    const delta = deltas?.[offset] ?? 0;
    values[offset] = delta * 2 + (hasCodePoint(charClass, first + offset + delta) ? 1 : 0);
  }
  return undefined;
}

/**
 * Returns 1 if the class contains all code points from `first` to `last`, 0 if it contains none of
 * them, and undefined otherwise.
 */
function uniformClass(charClass: CharClass, first: number, last: number): 0 | 1 | undefined {
  for (let index = 0; index < charClass.length; index += 2) {
    if (charClass[index]! > last) return 0;
    if (charClass[index + 1]! < first) continue;
    return charClass[index]! <= first && last <= charClass[index + 1]! ? 1 : undefined;
  }
  return 0;
}

/** Reads a `BZTK` blob without allocation. */
export class TextProgramReader {
  readonly mode: TextMode;
  readonly minLength: number;
  /** For each ASCII code point: its folded byte, plus 128 if the folded byte is in the class. */
  readonly ascii: Uint8Array;
  readonly #pageIndex: Uint16Array;
  readonly #pages: Int32Array;

  /**
   * Checks the blob and opens it.
   *
   * @throws ERR_STORE_DICTIONARY when `bytes` is not a text program of this version.
   */
  constructor(bytes: Uint8Array) {
    const blob = alignedBytes(bytes);
    const field = new Uint32Array(blob.buffer, blob.byteOffset, HEADER_FIELDS);
    if (field[Field.magic] !== TEXT_PROGRAM_MAGIC || field[Field.version] !== TEXT_PROGRAM_VERSION) {
      throw storeError('ERR_STORE_DICTIONARY', { received: `not a text program of version ${TEXT_PROGRAM_VERSION}` });
    }
    this.mode = field[Field.mode] === 0 ? 'runs' : 'characters';
    this.minLength = Math.max(1, field[Field.minLength]!);
    this.#pageIndex = new Uint16Array(blob.buffer, blob.byteOffset + field[Field.pageIndex]!, CODE_POINTS >> 8);
    this.#pages = new Int32Array(blob.buffer, blob.byteOffset + field[Field.pages]!, field[Field.pageCount]! * 256);
    const asciiAt = field[Field.ascii]!;
    this.ascii = blob.slice(asciiAt, asciiAt + 128).map((folded, byte) => folded | (blob[asciiAt + 128 + byte]! << 7));
  }

  /**
   * Returns (folded code point − code point) * 2, plus 1 if the folded code point is in the class.
   */
  entry(codePoint: number): number {
    return this.#pages[(this.#pageIndex[codePoint >> 8]! << 8) | (codePoint & 0xff)]!;
  }
}
