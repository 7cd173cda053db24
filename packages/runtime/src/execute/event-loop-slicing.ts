/** Work of all batches together that may be done before the event loop gets its turn. */
const TURN_MS = 0.3;

type Piece = { readonly work: () => void } | { readonly resolve: () => void };

/**
 * Pieces of work that give way to the event loop, in the order of their asking. Each batch does a
 * fraction of a millisecond at a stretch; if each had its own `setImmediate`, twenty batches would
 * do twenty of them before anything else has its turn.
 */
class EventLoopSlices {
  readonly #waiting: Piece[] = [];
  #isPlanned = false;

  add(piece: Piece): void {
    this.#waiting.push(piece);
    this.#plan();
  }

  remove(work: () => void): void {
    const at = this.#waiting.findIndex((piece) => 'work' in piece && piece.work === work);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#isPlanned = false;
    const end = performance.now() + TURN_MS;
    try {
      for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
        if ('resolve' in piece) return piece.resolve(); // what follows runs after this, for as long as it likes
        piece.work();
        if (performance.now() >= end) return;
      }
    } finally {
      if (this.#waiting.length > 0) this.#plan();
    }
  }
}

const turns = new EventLoopSlices();

/**
 * Calls a short piece of work in a later turn of the event loop: one that looks at the clock
 * itself.
 */
export const inLaterSlice = (work: () => void): void => turns.add({ work });

/** It is not wanted any more. */
export const withdraw = (work: () => void): void => turns.remove(work);

/** A turn of the event loop in which no other batch of this thread does anything. */
export const ownSlice = (): Promise<void> => new Promise((resolve) => turns.add({ resolve }));
