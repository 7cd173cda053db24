import { missingRow } from './row-errors.js';
import type { Row } from './row-schema.js';

/**
 * The number of rows that are copied together. V8 holds lists of this length in its young
 * generation and copies them as memory. It marks a longer list entry by entry during garbage
 * collection: 4 ms for 100,000 rows, in one turn of the event loop.
 */
const PIECE_ROWS = 8192;

/** A list of rows: of the caller, or its copy. */
export interface RowList {
  readonly length: number;
  slice(from: number, to: number): readonly Row[];
}

/**
 * The rows of a call at the time of the call, so that the caller may change the list afterward. A
 * list of the caller may be a proxy or have getters, so its length is read once, and its copy has
 * that many rows.
 */
export class CopiedRows implements RowList {
  readonly length: number;
  readonly #pieces: Row[][] = [];

  /**
   * @param first number of the first row, for errors.
   * @throws ERR_RUNTIME_INPUT with the first missing row. It is found before later rows are copied,
   * because a list with holes may declare more rows than memory holds.
   */
  constructor(rows: readonly Row[], first = 0) {
    const { length } = rows;
    for (let at = 0; at < length; at += PIECE_ROWS)
      this.#pieces.push(pieceOf(rows, at, Math.min(length, at + PIECE_ROWS), first));
    this.length = length;
  }

  /** Returns rows from `from` up to `to` or to the end, as `slice` of a list does. */
  slice(from: number, to: number): Row[] {
    if (from >= this.length) return [];
    const piece = Math.floor(from / PIECE_ROWS);
    const start = piece * PIECE_ROWS;
    const some = this.#pieces[piece]!.slice(from - start, to - start);
    const next = start + PIECE_ROWS;
    return next < Math.min(to, this.length) ? some.concat(this.slice(next, to)) : some;
  }
}

function pieceOf(rows: readonly Row[], from: number, to: number, first: number): Row[] {
  const isPlain = Object.getPrototypeOf(rows) === Array.prototype;
  // A subclass may change `slice` and the class of its result.
  const piece = isPlain ? rows.slice(from, to) : Array.from({ length: to - from }, (_, at) => rows[from + at]!);
  const hasAll = piece.length === to - from && !piece.includes(undefined as never);
  if (hasAll) return piece;
  let row = 0;
  while (row < piece.length && piece[row] !== undefined) row++;
  throw missingRow(first + from + row, 'a row');
}
