import type { Clock } from 'brezel';
import { selectionError } from './errors.js';
import type { Selected } from './policy.js';

/** The data about a prediction that a selection stores until its feedback arrives. */
export interface Query<Answer> {
  readonly context: string | undefined;
  /**
   * The first choice of the policy. If these candidates failed, the policy chose again, but it
   * learns only from the first choice.
   */
  readonly first: Selected;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly answer: Answer;
  readonly features: readonly number[] | undefined;
  /** The time of the prediction on the selection's clock. */
  readonly at: number;
}

/**
 * Stores the predictions that wait for feedback, and the identifiers of predictions that had
 * feedback. The number and the age of both are limited; the oldest entries are removed first.
 */
export class Queries<Answer> {
  readonly #open = new Map<string, Query<Answer>>();
  readonly #closed = new Map<string, number>();
  readonly #clock: Clock;
  readonly #most: number;
  readonly #ageMs: number;
  /**
   * The earliest time at which an entry becomes too old, so that entries need no check before this
   * time.
   */
  #nextExpiry = -Infinity;
  /** The number of predictions that were forgotten before their feedback arrived. */
  expired = 0;

  constructor(clock: Clock, most: number, ageMs: number) {
    this.#clock = clock;
    this.#most = most;
    this.#ageMs = ageMs;
  }

  get size(): number {
    return this.#open.size;
  }

  add(id: string, query: Query<Answer>): void {
    this.#open.set(id, query);
    this.#forget();
  }

  /** Returns whether a prediction waits for feedback, or had feedback. */
  has(id: string): boolean {
    this.#forget();
    return this.#open.has(id) || this.#closed.has(id);
  }

  /**
   * Removes and returns a prediction, so that feedback for it is applied only once.
   * @throws ERR_SELECTION_QUERY, ERR_SELECTION_REPEATED
   */
  take(id: string): Query<Answer> {
    this.#forget();
    const query = this.#open.get(id);
    if (query === undefined) {
      const code = this.#closed.has(id) ? 'ERR_SELECTION_REPEATED' : 'ERR_SELECTION_QUERY';
      throw selectionError(code, { received: JSON.stringify(String(id).slice(0, 100)) });
    }
    this.#open.delete(id);
    this.#closed.set(id, this.#clock.now());
    return query;
  }

  /** Accepts feedback for a prediction again, because applying its feedback failed. */
  reopen(id: string, query: Query<Answer>): void {
    this.#closed.delete(id);
    this.#open.set(id, query);
  }

  #forget(): void {
    const now = this.#clock.now();
    const isFull = this.#open.size > this.#most || this.#closed.size > this.#most;
    if (!isFull && now < this.#nextExpiry) return;
    const oldest = now - this.#ageMs;
    const [leftOpen, leftClosed] = [this.#left(this.#open.size), this.#left(this.#closed.size)];
    this.#nextExpiry = now + this.#ageMs;
    for (const [id, { at }] of this.#open) {
      this.#nextExpiry = Math.min(this.#nextExpiry, at + this.#ageMs);
      if (this.#open.size <= leftOpen && at >= oldest) break;
      this.#open.delete(id);
      this.expired++;
    }
    for (const [id, at] of this.#closed) {
      this.#nextExpiry = Math.min(this.#nextExpiry, at + this.#ageMs);
      if (this.#closed.size <= leftClosed && at >= oldest) break;
      this.#closed.delete(id);
    }
  }

  /**
   * Returns how many of `size` entries may stay. If a list is too long, several entries are removed
   * together, because a `Map` finds its first entry slowly after each deletion.
   */
  #left(size: number): number {
    return size > this.#most ? this.#most - Math.floor(this.#most / 64) : this.#most;
  }
}
