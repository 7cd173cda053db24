import type { ServerHttp2Stream } from 'node:http2';
import type { Concurrency } from '@brezel/oip';
import { grpcError } from './errors.js';

export interface ArrivalsOptions {
  readonly stream: ServerHttp2Stream;
  readonly concurrency: Concurrency;
  /** The object that stands for the call in `concurrency`. */
  readonly key: object;
  /** Milliseconds in which a message must arrive; 0 for no limit. */
  readonly timeoutMs: number;
  /** Ends the call. */
  readonly fail: (error: unknown) => void;
}

/**
 * Counts a call with several messages as one prediction in flight, from the first bytes of a
 * message until all received messages are answered. Ends the call if a message does not arrive in
 * time, or if a large message arrives while the server has no place for another prediction.
 */
export class Arrivals {
  readonly #options: ArrivalsOptions;
  #isCounted = false;
  /** Whether a part of a message has arrived without a place for the call. */
  #isWaiting = false;
  #unanswered = 0;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    options.stream.on('data', () => this.#receiveBytes());
  }

  /** Called when a message has arrived completely. */
  receive(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWaiting = false;
    this.#unanswered++;
  }

  /** Called when a message was answered. */
  answer(): void {
    this.#unanswered--;
    if (this.#unanswered === 0 && this.#timer === undefined) this.#leave();
  }

  /** Called at the end of the call. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#leave();
  }

  /** grpc-js has read the bytes before, and delivers a message that they complete afterwards. */
  #receiveBytes(): void {
    const { concurrency, key, timeoutMs, fail } = this.#options;
    if (this.#hasEnded) return; // grpc-js reads and drops further bytes
    if (timeoutMs > 0) this.#timer ??= setTimeout(() => fail(grpcError('ERR_GRPC_TIMEOUT')), timeoutMs);
    if (this.#isCounted) return;
    try {
      concurrency.enter(key);
      this.#isCounted = true;
    } catch (error) {
      // The first bytes may be a whole message, which gets this error as its response.
      if (this.#isWaiting) fail(error);
      this.#isWaiting = true;
    }
  }

  #leave(): void {
    if (this.#isCounted) this.#options.concurrency.leave(this.#options.key);
    this.#isCounted = false;
  }
}
