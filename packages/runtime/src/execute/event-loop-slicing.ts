/**
 * After this many milliseconds, no further work of batches starts in the same turn of the event
 * loop.
 */
const TURN_MS = 0.3;

type Piece = { readonly work: () => void } | { readonly resolve: () => void };

/**
 * Runs the work of all batches of a thread in small slices, and lets the event loop run between
 * them. A slice takes a fraction of a millisecond. If each batch called `setImmediate` itself,
 * twenty batches would run twenty slices in one turn of the event loop.
 *
 * All runtimes of a thread share one event loop, so the time of a turn is measured with the clock
 * of the process and not with the clock of a runtime.
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
        // the code that awaits this promise runs next, for an unknown time
        if ('resolve' in piece) return piece.resolve();
        piece.work();
        if (performance.now() >= end) return;
      }
    } finally {
      if (this.#waiting.length > 0) this.#plan();
    }
  }
}

const slices = new EventLoopSlices();

/**
 * Calls a short function in a later turn of the event loop. The function must return within a
 * fraction of a millisecond.
 */
export const inLaterSlice = (work: () => void): void => slices.add({ work });

/** Cancels a function that `inLaterSlice` has not called yet. */
export const withdraw = (work: () => void): void => slices.remove(work);

/**
 * Waits for a turn of the event loop. No other batch of this thread runs in the rest of this turn.
 */
export const ownSlice = (): Promise<void> => new Promise((resolve) => slices.add({ resolve }));
