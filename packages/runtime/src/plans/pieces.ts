import { ownSlice } from '../execute/event-loop-slicing.js';

/**
 * Work that is divided into pieces: the event loop may run at each `yield`. Between two pieces,
 * other code may register plans, remove plans, or close the runtime.
 */
export type Pieces<T> = Generator<undefined, T, undefined>;

/**
 * The number of small steps of a piece, such as visits of operators or parameters. They take less
 * than a millisecond.
 */
export const PIECE_STEPS = 1000;

/** Does all pieces in one turn of the event loop. */
export function atOnce<T>(pieces: Pieces<T>): T {
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next();
  return piece.value;
}

/**
 * Does the first piece immediately, and each further piece in a later turn of the event loop.
 *
 * @param check throws if the work must end. Called before each piece except the first; its error is
 * thrown inside the work, which then reverts what it has done.
 */
export async function inTurns<T>(pieces: Pieces<T>, check: () => void): Promise<T> {
  let piece = pieces.next();
  while (!piece.done) {
    await ownSlice();
    piece = nextPiece(pieces, check);
  }
  return piece.value;
}

function nextPiece<T>(pieces: Pieces<T>, check: () => void): IteratorResult<undefined, T> {
  try {
    check();
  } catch (error) {
    return pieces.throw(error);
  }
  return pieces.next();
}
