import type { Clock } from '@brezel/core';
/** What waits to be gathered: so many rows, and how long they may wait. */
export interface Gathered {
  readonly rows: number;
  /** Milliseconds that its caller has left; Infinity where he has said nothing. */
  readonly remainingMs: number;
}

/**
 * While more rows of a request are known to be on their way, those that are there wait for them.
 * Not for ever: what comes may itself wait for another stage, which waits for what stands here.
 */
const COMING_MS = 5;

/**
 * Rows of requests that wait to go to a device together, and the clock that tells when they have
 * waited enough.
 */
export class GatheredRows<T extends Gathered> {
  readonly #maxDelayMs: number;
  readonly #clock: Clock;
  readonly #isDue: () => void;
  readonly #waiting = new Set<T>();
  #rows = 0;
  /** Rows of requests that have begun, and are not here yet. */
  #coming = 0;
  #cancelTimer: (() => void) | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  /** @param isDue called when something has waited enough. */
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

  /** Rows are on their way. */
  announce(rows: number): void {
    this.#coming += rows;
  }

  /** They have come, or never will. */
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

  /** The first that fit into a call, at least one of them. */
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
