export const CODE_POINTS = 0x110000;
export const PAGE = 256;
/** Pages of 256 code points. */
export const PAGES = CODE_POINTS / PAGE;

/** A number for every code point, in two levels: equal pages are stored once. */
export interface CodePointTable {
  readonly pageIndex: Uint16Array;
  readonly pages: Int32Array;
}

/**
 * Builds a table page by page. `fill` writes the 256 values of a page, or returns the one value that all of them have: nearly all pages are such.
 * Cost: well under a millisecond for the tables of scripts that people write in.
 */
export function toPages(fill: (page: number, values: Int32Array) => number | undefined): CodePointTable {
  const pageIndex = new Uint16Array(PAGES);
  const numbers = new Map<string, number>();
  const kept: Int32Array[] = [];
  const values = new Int32Array(PAGE);
  for (let page = 0; page < PAGES; page++) {
    const uniform = fill(page, values);
    if (uniform !== undefined) values.fill(uniform);
    const content = uniform === undefined ? Buffer.from(values.buffer).toString('latin1') : `all ${uniform}`;
    let number = numbers.get(content);
    if (number === undefined) {
      number = kept.push(values.slice()) - 1;
      numbers.set(content, number);
    }
    pageIndex[page] = number;
  }
  const pages = new Int32Array(kept.length * PAGE);
  kept.forEach((content, number) => {
    pages.set(content, number * PAGE);
  });
  return { pageIndex, pages };
}

/** Numbers for some code points, 0 for all others, collected in any order. */
export class SparsePages {
  readonly #pages = new Map<number, Int32Array>();

  set(codePoint: number, value: number): void {
    const page = codePoint >> 8;
    const values = this.#pages.get(page) ?? new Int32Array(PAGE);
    this.#pages.set(page, values);
    values[codePoint & 0xff] = value;
  }

  /** The values of a page, or undefined where all are 0. */
  page(page: number): Int32Array | undefined {
    return this.#pages.get(page);
  }

  finish(): CodePointTable {
    return toPages((page, values) => {
      const given = this.page(page);
      if (given === undefined) return 0;
      values.set(given);
      return undefined;
    });
  }
}

/** Pages from runs of four numbers: first code point, count, step, value. */
export function readRuns(runs: readonly number[]): SparsePages {
  const pages = new SparsePages();
  for (let at = 0; at < runs.length; at += 4) {
    const [first, count, step, value] = [runs[at]!, runs[at + 1]!, runs[at + 2]!, runs[at + 3]!];
    for (let member = 0; member < count; member++) pages.set(first + member * step, value);
  }
  return pages;
}
