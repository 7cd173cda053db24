import type { ServerHttp2Stream } from 'node:http2';
import type { Concurrency } from '@brezel/oip';
import { grpcError } from './errors.js';

export interface CallMessagesOptions {
  readonly stream: ServerHttp2Stream;
  readonly concurrency: Concurrency;
  /** The key of the call in `concurrency`. */
  readonly key: object;
  /** Milliseconds within which a message must arrive completely; 0 for no limit. */
  readonly timeoutMs: number;
  /** Ends the call with an error. */
  readonly fail: (error: unknown) => void;
}

/**
 * Counts a stream of messages as one prediction in flight, from the first bytes of a message until
 * all received messages are answered. Ends the stream with an error if a message does not arrive in
 * time. Also ends the stream if the limit of predictions in flight is reached and a message arrives
 * in several parts. Otherwise the unfinished message would stay in memory.
 */
export class CallMessages {
  readonly #options: CallMessagesOptions;
  #isCounted = false;
  /**
   * Whether bytes of a message have arrived while the limit of predictions in flight was reached.
   */
  #isWaiting = false;
  #unanswered = 0;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CallMessagesOptions) {
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

  /**
   * Called for each piece of data of the stream. grpc-js reads the piece before this call, and
   * delivers the message after this call if the piece completes the message.
   */
  #receiveBytes(): void {
    const { concurrency, key, timeoutMs, fail } = this.#options;
    if (this.#hasEnded) return; // grpc-js reads and drops further bytes
    if (timeoutMs > 0) this.#timer ??= setTimeout(() => fail(grpcError('ERR_GRPC_TIMEOUT')), timeoutMs);
    if (this.#isCounted) return;
    try {
      concurrency.enter(key);
      this.#isCounted = true;
    } catch (error) {
      // The first bytes may be a whole message. Its response then contains this error, so the
      // stream continues. Further bytes show that the message is not complete, so the stream ends.
      if (this.#isWaiting) fail(error);
      this.#isWaiting = true;
    }
  }

  #leave(): void {
    if (this.#isCounted) this.#options.concurrency.leave(this.#options.key);
    this.#isCounted = false;
  }
}
