/** The answer to a request, and the subject to which it was published. */
interface RecentAnswer {
  readonly reply: string;
  readonly bytes: Uint8Array;
}

const MAX_ANSWERS = 10_000;
const MAX_BYTES = 2 ** 24;

/**
 * The last answers of a server, at most 10,000 answers and 16 MiB. If the event loop of a server
 * was blocked, clients have sent their requests again in the meantime. The server then receives a
 * request again after it has answered it. It sends the same answer instead of a second prediction.
 */
export class RecentAnswers {
  readonly #answers = new Map<string, RecentAnswer>();
  #bytes = 0;

  /** @param id the id that all attempts of a request have */
  add(id: string, reply: string, bytes: Uint8Array): void {
    if (bytes.length > MAX_BYTES) return;
    this.#remove(id);
    // A copy, because a small buffer would keep the memory of its whole pool.
    this.#answers.set(id, { reply, bytes: new Uint8Array(bytes) });
    this.#bytes += bytes.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS && this.#bytes <= MAX_BYTES) return;
      this.#remove(oldest);
    }
  }

  /** Returns the answer to a request. Another reply subject belongs to another request. */
  get(id: string, reply: string): Uint8Array | undefined {
    const answer = this.#answers.get(id);
    return answer?.reply === reply ? answer.bytes : undefined;
  }

  #remove(id: string): void {
    this.#bytes -= this.#answers.get(id)?.bytes.length ?? 0;
    this.#answers.delete(id);
  }
}
