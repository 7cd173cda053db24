export const CODE_POINTS = 0x110000;
export const PAGE = 256;
/** Number of pages. A page has 256 code points. */
export const PAGES = CODE_POINTS / PAGE;

/**
 * Maps every code point to a number. `pageIndex` contains the number of the page for each 256 code
 * points, and `pages` contains the distinct pages, 256 numbers each.
 */
export interface CodePointTable {
  readonly pageIndex: Uint16Array;
  readonly pages: Int32Array;
}

/**
 * Builds a table page by page.
 *
 * Cost: well under a millisecond for tables of common scripts.
 *
 * @param fill writes the 256 values of a page. If all 256 values are equal, as in nearly all pages,
 * `fill` may return that value instead of writing.
 */
export function toPages(fill: (page: number, values: Int32Array) => number | undefined): CodePointTable {
  const pageIndex = new Uint16Array(PAGES);
  const numbers = new Map<string, number>();
  const distinct: Int32Array[] = [];
  const values = new Int32Array(PAGE);
  for (let page = 0; page < PAGES; page++) {
    const uniform = fill(page, values);
    const content = uniform === undefined ? Buffer.from(values.buffer).toString('latin1') : `all ${uniform}`;
    let number = numbers.get(content);
    if (number === undefined) {
      if (uniform !== undefined) values.fill(uniform);
      number = distinct.push(values.slice()) - 1;
      numbers.set(content, number);
    }
    pageIndex[page] = number;
  }
  const pages = new Int32Array(distinct.length * PAGE);
  distinct.forEach((content, number) => {
    pages.set(content, number * PAGE);
  });
  return { pageIndex, pages };
}

/**
 * Builds a `CodePointTable` from the numbers of some code points, in any order. All other code
 * points have the number 0.
 */
export class SparsePages {
  readonly #pages = new Map<number, Int32Array>();

  set(codePoint: number, value: number): void {
    const page = codePoint >> 8;
    const values = this.#pages.get(page) ?? new Int32Array(PAGE);
    this.#pages.set(page, values);
    values[codePoint & 0xff] = value;
  }

  /** Returns the numbers of a page, or undefined if all of them are 0. */
  page(page: number): Int32Array | undefined {
    return this.#pages.get(page);
  }

  finish(): CodePointTable {
    return toPages((page, values) => {
      const content = this.page(page);
      if (content === undefined) return 0;
      values.set(content);
      return undefined;
    });
  }
}

/**
 * Builds pages from a generated list. Each four numbers of the list describe a run: its first code
 * point, its number of code points, the distance between them, and their common value.
 */
export function readRuns(runs: readonly number[]): SparsePages {
  const pages = new SparsePages();
  for (let run = 0; run < runs.length; run += 4) {
    const [first, count, step, value] = [runs[run]!, runs[run + 1]!, runs[run + 2]!, runs[run + 3]!];
    for (let member = 0; member < count; member++) pages.set(first + member * step, value);
  }
  return pages;
}
