export const CODE_POINTS = 0x110000;
/** Pages of 256 code points. */
export const PAGES = CODE_POINTS >> 8;

/** A number for every code point, in two levels: equal pages are stored once. */
export interface CodePointTable {
  readonly pageIndex: Uint16Array;
  readonly pages: Int32Array;
}

/** Stores `values` (one for each of the 0x110000 code points) in pages. A few milliseconds. */
export function toPages(values: Int32Array): CodePointTable {
  const pageIndex = new Uint16Array(PAGES);
  const numbers = new Map<string, number>();
  const kept: number[] = [];
  for (let page = 0; page < PAGES; page++) {
    const content = Buffer.from(values.buffer, values.byteOffset + page * 1024, 1024).toString('latin1');
    let number = numbers.get(content);
    if (number === undefined) {
      number = kept.push(page) - 1;
      numbers.set(content, number);
    }
    pageIndex[page] = number;
  }
  const pages = new Int32Array(kept.length * 256);
  kept.forEach((page, number) => {
    pages.set(values.subarray(page * 256, page * 256 + 256), number * 256);
  });
  return { pageIndex, pages };
}
