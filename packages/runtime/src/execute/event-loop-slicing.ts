/**
 * After this many milliseconds, no further work of batches starts in the same turn of the event
 * loop.
 */
const TURN_MS = 0.3;
/**
 * The value of TURN_MS while chunks of reserved executors or of the highest priority are in flight.
 * Their answers then wait for less work of other batches.
 */
const URGENT_TURN_MS = 0.1;

type Piece = { readonly work: () => void } | { readonly resolve: () => void };

/**
 * Runs the work of all batches of a thread in small slices, and lets the event loop run between
 * them. A slice takes a fraction of a millisecond. If each batch called `setImmediate` itself,
 * twenty batches would run twenty slices in one turn of the event loop.
 *
 * All slices of a turn share one budget of time. A turn starts with the first work, for example
 * with answers that executors announce, and ends after the slices that `setImmediate` runs.
 * Without the common budget, Node calls the announcing function again and again while executors
 * complete chunks, and nothing else runs.
 *
 * All runtimes of a thread share one event loop. The time of a turn is therefore measured with the
 * clock of the process, not with the clock of a runtime.
 */
class EventLoopSlices {
  readonly #waiting: Piece[] = [];
  #isPlanned = false;
  /** The time at which the work of this turn ends. Undefined: no work has run in this turn. */
  #turnEnd: number | undefined;
  #urgent = 0;

  add(piece: Piece): void {
    this.#waiting.push(piece);
    this.#plan();
  }

  addFirst(piece: Piece): void {
    this.#waiting.unshift(piece);
    this.#plan();
  }

  remove(work: () => void): void {
    const at = this.#waiting.findIndex((piece) => 'work' in piece && piece.work === work);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** Counts an urgent chunk that was submitted (1) or that has ended (-1). */
  countUrgent(change: 1 | -1): void {
    this.#urgent += change;
  }

  isTurnOver(): boolean {
    return this.#turnEnd !== undefined && performance.now() >= this.#turnEnd;
  }

  /** Starts a turn, unless one has started. `#run` ends it. */
  startTurn(): void {
    if (this.#turnEnd !== undefined) return;
    this.#turnEnd = this.#endOfTurn();
    this.#plan();
  }

  #endOfTurn(): number {
    return performance.now() + (this.#urgent > 0 ? URGENT_TURN_MS : TURN_MS);
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#run());
  }

  /** Runs pieces until the turn is over. The first piece runs in any case. */
  #run(): void {
    this.#isPlanned = false;
    this.#turnEnd ??= this.#endOfTurn();
    try {
      for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
        // the code that awaits this promise runs next, for an unknown time
        if ('resolve' in piece) return piece.resolve();
        piece.work();
        if (this.isTurnOver()) return;
      }
    } finally {
      this.#turnEnd = undefined;
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

/** Calls a short function in a later turn of the event loop, before all functions that wait. */
export const inFirstSlice = (work: () => void): void => slices.addFirst({ work });

/** Cancels a function that `inLaterSlice` or `inFirstSlice` has not called yet. */
export const withdraw = (work: () => void): void => slices.remove(work);

/**
 * Starts a turn with work that runs outside a slice, for example in the call of a user. The work
 * pauses when `isTurnOver` returns true.
 */
export const startTurn = (): void => slices.startTurn();

/** Returns whether batches have used their time in this turn of the event loop. */
export const isTurnOver = (): boolean => slices.isTurnOver();

/**
 * Counts an urgent chunk that was submitted (1) or that has ended (-1). While urgent chunks are in
 * flight, batches work for less time in each turn.
 */
export const countUrgent = (change: 1 | -1): void => slices.countUrgent(change);

/**
 * Waits for a turn of the event loop. No other batch of this thread runs in the rest of this turn.
 */
export const ownSlice = (): Promise<void> => new Promise((resolve) => slices.add({ resolve }));
