/** Selects one of every N calls, starting with the first one. */
export class Sampler {
  readonly #every: number;
  #left = 1;

  constructor(every: number) {
    this.#every = every;
  }

  /** Returns whether this call is selected. */
  takes(): boolean {
    if (--this.#left > 0) return false;
    this.#left = this.#every;
    return true;
  }
}
