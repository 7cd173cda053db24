/** Takes one of so many, the first one first. */
export class Sampler {
  readonly #every: number;
  #left = 1;

  constructor(every: number) {
    this.#every = every;
  }

  /** Whether it is the turn of this one. */
  takes(): boolean {
    if (--this.#left > 0) return false;
    this.#left = this.#every;
    return true;
  }
}
