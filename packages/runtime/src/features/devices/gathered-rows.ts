import type { Clock } from '@brezel/core';
/** Rows that wait to be gathered. */
export interface Gathered {
  readonly rows: number;
  /** The time that the caller has left, in milliseconds; Infinity without a deadline. */
  readonly remainingMs: number;
}

/**
 * The longest wait for announced rows of a request, in milliseconds. It is limited because those
 * rows may wait for another stage, which waits for this one.
 */
const COMING_MS = 5;

/** Rows of requests that wait for one device call, and the timer that ends the wait. */
export class GatheredRows<T extends Gathered> {
  readonly #maxDelayMs: number;
  readonly #clock: Clock;
  readonly #isDue: () => void;
  readonly #waiting = new Set<T>();
  #rows = 0;
  /** Number of announced rows that have not arrived. */
  #coming = 0;
  #cancelTimer: (() => void) | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  /** @param isDue called when the wait of a row is over. */
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

  /** Announces rows that will arrive. */
  announce(rows: number): void {
    this.#coming += rows;
  }

  /** Marks announced rows as arrived or canceled. */
  arrived(rows: number): void {
    this.#coming -= rows;
    if (this.#coming === 0 && this.#rows > 0) this.#arm(this.#maxDelayMs);
  }

  add(one: T): void {
    this.#waiting.add(one);
    this.#rows += one.rows;
    const delayMs = this.#coming > 0 ? Math.max(this.#maxDelayMs, COMING_MS) : this.#maxDelayMs;
    this.#arm(Math.min(delayMs, Math.max(0, one.remainingMs / 2)));
  }

  delete(one: T): boolean {
    if (!this.#waiting.delete(one)) return false;
    this.#rows -= one.rows;
    if (this.#waiting.size === 0) this.#disarm();
    return true;
  }

  /** Takes the first requests that fit into a call, at least one. */
  take(mostRows: number): T[] {
    const taken: T[] = [];
    let rows = 0;
    for (const one of this.#waiting) {
      if (taken.length > 0 && rows + one.rows > mostRows) break;
      rows += one.rows;
      taken.push(one);
    }
    for (const one of taken) this.delete(one);
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
