/**
 * Brings chunks into the order of their indexes. Chunks that arrive early are remembered by their
 * positions in the stream, so memory does not contain their answers.
 */
export class OrderedAnswers {
  readonly #early = new Map<number, number>();
  #next = 0;

  /** The index of the next chunk. */
  get next(): number {
    return this.#next;
  }

  /** Adds an early chunk, with its position in the stream. */
  add(chunk: number, position: number): void {
    if (chunk >= this.#next) this.#early.set(chunk, position);
  }

  /**
   * Returns the position of the next chunk if it has arrived, and goes on to the chunk after it.
   */
  take(): number | undefined {
    const position = this.#early.get(this.#next);
    if (position === undefined) return undefined;
    this.#early.delete(this.#next++);
    return position;
  }
}
