import type { Clock } from '@brezel/core';
/** A request whose rows are gathered for the next device call. */
export interface Gathered {
  readonly rows: number;
  /** The time until the caller's deadline in milliseconds, or Infinity without a deadline. */
  readonly remainingMs: number;
}

/**
 * Gathered rows wait at most this many milliseconds for announced rows. Without this limit, two
 * stages could wait for each other.
 */
const COMING_MS = 5;

/** Requests that wait for the next device call, and the timer that ends their wait. */
export class GatheredRows<T extends Gathered> {
  readonly #maxDelayMs: number;
  readonly #clock: Clock;
  readonly #isDue: () => void;
  readonly #waiting = new Set<T>();
  #rows = 0;
  /** Number of announced rows that have not arrived yet. */
  #coming = 0;
  #cancelTimer: (() => void) | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  /** @param isDue a function that is called when the requests have waited long enough */
  constructor(maxDelayMs: number, clock: Clock, isDue: () => void) {
    this.#clock = clock;
    this.#maxDelayMs = maxDelayMs;
    this.#isDue = isDue;
  }

  get rows(): number {
    return this.#rows;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#waiting[Symbol.iterator]();
  }

  /** Adds rows that will arrive later. */
  announce(rows: number): void {
    this.#coming += rows;
  }

  /** Called when announced rows have arrived or were canceled. */
  arrived(rows: number): void {
    this.#coming -= rows;
    if (this.#coming === 0 && this.#rows > 0) this.#arm(this.#maxDelayMs);
  }

  add(request: T): void {
    this.#waiting.add(request);
    this.#rows += request.rows;
    const delayMs = this.#coming > 0 ? Math.max(this.#maxDelayMs, COMING_MS) : this.#maxDelayMs;
    this.#arm(Math.min(delayMs, Math.max(0, request.remainingMs / 2)));
  }

  delete(request: T): boolean {
    if (!this.#waiting.delete(request)) return false;
    this.#rows -= request.rows;
    if (this.#waiting.size === 0) this.#disarm();
    return true;
  }

  /**
   * Takes the first requests that fit in a call. Takes the first request even if it has too many
   * rows.
   */
  take(mostRows: number): T[] {
    const taken: T[] = [];
    let rows = 0;
    for (const request of this.#waiting) {
      if (taken.length > 0 && rows + request.rows > mostRows) break;
      rows += request.rows;
      taken.push(request);
    }
    for (const request of taken) this.delete(request);
    return taken;
  }

  #arm(delayMs: number): void {
    const dueAt = this.#clock.now() + delayMs;
    if (dueAt >= this.#dueAt) return;
    this.#disarm();
    this.#dueAt = dueAt;
    const ring = () => {
      this.#disarm();
      this.#isDue();
    };
    if (delayMs === 0) {
      const turn = setImmediate(ring);
      this.#cancelTimer = () => clearImmediate(turn);
    } else {
      const timer = this.#clock.setTimeout(ring, delayMs);
      this.#cancelTimer = () => timer.cancel();
    }
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }
}
