import { protocolError } from './errors.js';

/** Counts the predictions in flight, from the head of the request to the end of the response. */
export class Concurrency {
  readonly #most: number;
  readonly #requests = new WeakSet<object>();
  #inFlight = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Checks that the server accepts another prediction.
   * @throws a ProtocolError of kind BUSY when the limit is reached.
   */
  check(): void {
    if (this.#inFlight >= this.#most)
      throw protocolError('BUSY', { expected: `at most ${this.#most} predictions in flight` });
  }

  /**
   * Counts a request as a prediction in flight.
   * @throws a ProtocolError of kind BUSY when the limit is reached.
   */
  enter(request: object): void {
    this.check();
    this.#inFlight++;
    this.#requests.add(request);
  }

  /** Removes a request from the count. Has no effect if `enter` has not counted the request. */
  leave(request: object): void {
    if (this.#requests.delete(request)) this.#inFlight--;
  }
}
