import { missingRow } from './row-errors.js';
import type { Row } from './row-schema.js';

/**
 * The number of rows in one copied list. During garbage collection, V8 copies a list of this length
 * as a piece of memory. V8 visits a longer list entry by entry: with 100,000 rows, one turn of the
 * event loop then takes 4 ms longer.
 */
const PIECE_ROWS = 8192;

/** The rows of a call: the caller's list, a copy of it, or the caller's columns. */
export interface RowList {
  readonly length: number;
  slice(from: number, to: number): readonly Row[];
}

/**
 * A copy of the caller's list of rows, so that the caller may change the list after the call. The
 * length is read only once, because the list may be a proxy or have getters.
 */
export class CopiedRows implements RowList {
  readonly length: number;
  readonly #pieces: Row[][] = [];

  /**
   * @param first index of the first row in the request, for error messages
   * @throws ERR_RUNTIME_INPUT with the first missing row. The error is thrown before later rows are
   * copied, because a list with holes may have more entries than fit in memory.
   */
  constructor(rows: readonly Row[], first = 0) {
    const { length } = rows;
    for (let at = 0; at < length; at += PIECE_ROWS)
      this.#pieces.push(pieceOf(rows, at, Math.min(length, at + PIECE_ROWS), first));
    this.length = length;
  }

  /** Returns the rows from index `from` up to `to`, or to the end, as `Array.slice` does. */
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
  // A subclass, or a property of the list, may change `slice` or the class of its result.
  const isPlain =
    Object.getPrototypeOf(rows) === Array.prototype &&
    !Object.hasOwn(rows, 'slice') &&
    !Object.hasOwn(rows, 'constructor');
  const piece = isPlain ? rows.slice(from, to) : Array.from({ length: to - from }, (_, at) => rows[from + at]!);
  const hasAll = piece.length === to - from && !piece.includes(undefined as never);
  if (hasAll) return piece;
  let row = 0;
  while (row < piece.length && piece[row] !== undefined) row++;
  throw missingRow(first + from + row, 'a row');
}
