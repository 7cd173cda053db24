import type { Row } from './row-schema.js';

/**
 * Rows of a list that are copied together. Lists of so many are young objects of V8, whose copies
 * are copies of memory; a longer one is marked entry by entry while garbage is collected: 4 ms of
 * 100,000 rows, in one turn of the event loop.
 */
const PIECE_ROWS = 8192;

/** The rows of a call as its caller gave them: he may go on with his list. */
export class CopiedRows {
  readonly length: number;
  readonly #pieces: Row[][] = [];

  constructor(rows: readonly Row[]) {
    this.length = rows.length;
    for (let at = 0; at < rows.length; at += PIECE_ROWS) this.#pieces.push(rows.slice(at, at + PIECE_ROWS));
  }

  /** Rows from `from` up to `to`, or to the end, as of a list. */
  slice(from: number, to: number): Row[] {
    const piece = Math.floor(from / PIECE_ROWS);
    const start = piece * PIECE_ROWS;
    const some = this.#pieces[piece]!.slice(from - start, to - start);
    const next = start + PIECE_ROWS;
    return next < Math.min(to, this.length) ? some.concat(this.slice(next, to)) : some;
  }
}
