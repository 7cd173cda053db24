import type { Clock } from 'brezel';
import { selectionError } from './errors.js';
import type { Selected } from './policy.js';

/** The parts of a prediction that are stored for its feedback. */
export interface Query<Answer> {
  readonly context: string | undefined;
  /** The first choice of the policy. It does not learn from the losses of further choices. */
  readonly first: Selected;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly answer: Answer;
  readonly features: readonly number[] | undefined;
  /** The time of the prediction on the selection's clock. */
  readonly at: number;
}

/**
 * Holds predictions without feedback, and the identifiers of predictions with feedback. The number
 * and the age of the entries of both lists are limited. The oldest entries are forgotten first.
 */
export class Queries<Answer> {
  readonly #open = new Map<string, Query<Answer>>();
  readonly #closed = new Map<string, number>();
  readonly #clock: Clock;
  readonly #most: number;
  readonly #ageMs: number;
  /** No entry becomes too old before this time. */
  #nextExpiry = -Infinity;
  /** Predictions that were forgotten before their feedback arrived. */
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

  /**
   * Removes and returns a query, so that its feedback is applied once.
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

  /** Accepts feedback for a query again, because its feedback was not applied. */
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
   * Returns how many of `size` entries may stay. A Map finds its first entry slowly after many
   * deletions, so a list that is too long loses several entries together.
   */
  #left(size: number): number {
    return size > this.#most ? this.#most - Math.floor(this.#most / 64) : this.#most;
  }
}
