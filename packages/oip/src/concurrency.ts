import { protocolError } from './errors.js';

/** Counts the predictions in flight, from the head of the request to the end of the response. */
export class Concurrency {
  readonly #most: number;
  /**
   * How often each request in flight has entered. The map is not weak, because a weak map makes
   * garbage collections slower with each request.
   */
  readonly #entries = new Map<object, number>();
  #inFlight = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts a request as a prediction in flight. Several calls for one request count it once. The
   * request stays counted until `leave` was called as often as `enter`.
   *
   * @throws a ProtocolError of kind BUSY when the limit is reached.
   */
  enter(request: object): void {
    const entries = this.#entries.get(request) ?? 0;
    if (entries === 0) {
      if (this.#inFlight >= this.#most)
        throw protocolError('BUSY', { expected: `at most ${this.#most} predictions in flight` });
      this.#inFlight++;
    }
    this.#entries.set(request, entries + 1);
  }

  /** Reverses one `enter`. Has no effect if `enter` has not counted the request. */
  leave(request: object): void {
    const entries = this.#entries.get(request) ?? 0;
    if (entries > 1) this.#entries.set(request, entries - 1);
    else if (this.#entries.delete(request)) this.#inFlight--;
  }
}
