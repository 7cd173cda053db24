import { BlobLayout } from './blob-layout.js';
import type { CharClass } from './char-class.js';
import { type CodePointTable, PAGE, SparsePages, toPages } from './code-point-table.js';
import { cased, caseIgnorable } from './lower-text.js';

/**
 * The value of the first field of a text map (`BZTM`, native/README.md, section 3). A text map
 * replaces each code point of a text by a sequence of code points.
 */
export const TEXT_MAP_MAGIC = 0x4d545a42;
export const TEXT_MAP_VERSION = 1;

const Field = {
  magic: 0,
  version: 1,
  totalBytes: 2,
  pageIndex: 3,
  pages: 4,
  pageCount: 5,
  pool: 6,
  poolLength: 7,
  ascii: 8,
  contextIndex: 9,
  contextPages: 10,
  contextPageCount: 11,
  finalSigma: 12,
  otherSigma: 13,
} as const;
const HEADER_FIELDS = 14;

/**
 * The entry of a code point that stays unchanged. The entry of another code point is the index of
 * its replacement in `Pool.codePoints`, times 32, plus the length of the replacement.
 */
const SAME = -1;
const COUNTS = 32;

const CASED = 1;
const CASE_IGNORABLE = 2;

/**
 * All code points from U+30000 have no case and no decomposition. A map leaves all of them
 * unchanged or removes all of them, so the builder calls the map for only one of them. This saves
 * most of the build time.
 */
const FIRST_ALIKE = 0x30000;

/** A function that replaces each code point of a text. */
export interface TextMap {
  /**
   * Returns the replacement of a code point: at most 31 code points. The replacement of an ASCII
   * character must be empty or one ASCII character. From U+30000, either all code points stay
   * unchanged or all are removed.
   */
  map(codePoint: number): readonly number[];
  /**
   * The replacements of a capital sigma at the end of a word (`final`) and elsewhere (`other`). If
   * absent, `map` replaces a sigma like other code points.
   */
  readonly sigma?: { readonly final: readonly number[]; readonly other: readonly number[] };
}

/** Builds the `BZTM` blob of a text map. Equal maps give equal bytes. Cost: about 50 ms. */
export function buildTextMap({ map, sigma }: TextMap): Uint8Array {
  const pool = new Pool();
  const { pageIndex, pages } = toPages((page, values) => {
    if (page * PAGE >= FIRST_ALIKE) return pool.entry(FIRST_ALIKE, map(FIRST_ALIKE));
    let changed = false;
    for (let low = 0; low < PAGE; low++) {
      const codePoint = page * PAGE + low;
      values[low] = isSurrogate(codePoint) ? SAME : pool.entry(codePoint, map(codePoint));
      changed ||= values[low] !== SAME;
    }
    return changed ? undefined : SAME;
  });
  const context = sigma === undefined ? undefined : contextPages();
  const layout = new BlobLayout(HEADER_FIELDS);
  const header = new Uint32Array(HEADER_FIELDS);
  const sections: [offset: number, content: Uint16Array | Int32Array | Uint8Array][] = [];
  const section = (field: number, content: Uint16Array | Int32Array | Uint8Array) => {
    header[field] = layout.section(content.byteLength);
    sections.push([header[field]!, content]);
  };
  header[Field.magic] = TEXT_MAP_MAGIC;
  header[Field.version] = TEXT_MAP_VERSION;
  header[Field.finalSigma] = sigma === undefined ? SAME : pool.entry(-1, sigma.final);
  header[Field.otherSigma] = sigma === undefined ? SAME : pool.entry(-1, sigma.other);
  section(Field.pageIndex, pageIndex);
  section(Field.pages, pages);
  header[Field.pageCount] = pages.length / PAGE;
  section(Field.pool, Int32Array.from(pool.codePoints));
  header[Field.poolLength] = pool.codePoints.length;
  section(Field.ascii, asciiTable(map));
  section(Field.contextIndex, context?.pageIndex ?? new Uint16Array());
  section(Field.contextPages, Uint8Array.from(context?.pages ?? []));
  header[Field.contextPageCount] = (context?.pages.length ?? 0) / PAGE;
  header[Field.totalBytes] = layout.totalBytes;
  const blob = new Uint8Array(layout.totalBytes);
  blob.set(new Uint8Array(header.buffer));
  for (const [offset, { buffer, byteOffset, byteLength }] of sections)
    blob.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
  return blob;
}

const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;

/** Stores sequences of code points. Equal sequences are stored once. */
class Pool {
  readonly codePoints: number[] = [];
  readonly #starts = new Map<string, number>();

  /** Returns the entry of a code point whose replacement is `to`. */
  entry(codePoint: number, to: readonly number[]): number {
    if (to.length === 1 && to[0] === codePoint) return SAME;
    if (to.length >= COUNTS) throw new TypeError(`a code point of ${to.length}`);
    const key = to.join(' ');
    const start = this.#starts.get(key) ?? this.codePoints.length;
    if (!this.#starts.has(key)) {
      this.#starts.set(key, start);
      this.codePoints.push(...to);
    }
    return start * COUNTS + to.length;
  }
}

/**
 * Returns 256 bytes: for each ASCII character its replacement, and then for each ASCII character 1,
 * or 0 if the map removes the character.
 */
function asciiTable(map: TextMap['map']): Uint8Array {
  const table = new Uint8Array(256);
  for (let codePoint = 0; codePoint < 128; codePoint++) {
    const to = map(codePoint);
    if (to.length > 1 || (to[0] ?? 0) > 127) throw new TypeError(`ASCII ${codePoint} would leave ASCII`);
    table[codePoint] = to[0] ?? 0;
    table[128 + codePoint] = to.length;
  }
  return table;
}

/**
 * Returns flags for each code point: whether it has a case, and whether it is case-ignorable. These
 * flags determine whether a sigma is at the end of a word.
 */
function contextPages(): CodePointTable {
  const pages = new SparsePages();
  mark(pages, cased, CASED);
  mark(pages, caseIgnorable, CASE_IGNORABLE);
  return pages.finish();
}

function mark(pages: SparsePages, set: CharClass, bit: number): void {
  for (let index = 0; index < set.length; index += 2) {
    for (let codePoint = set[index]!; codePoint <= set[index + 1]!; codePoint++)
      pages.set(codePoint, bit | (pages.page(codePoint >> 8)?.[codePoint & 0xff] ?? 0));
  }
}
