import { BrezelError, type Clock, type ClockTimer } from 'brezel';
import { natsError } from '../errors.js';
import type { Reply } from '../protocol/messages.js';

/** The limits of one request. */
export interface RequestLimits {
  /** The time on the clock of the client at which the request fails. */
  readonly end: number;
  /** The deadline that the caller set, or undefined for the limit of the client. */
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The functions through which a request reaches the servers. */
export interface RequestPort {
  readonly clock: Clock;
  readonly retryMs: number;
  send(attempt: number): void;
  control(action: 'status' | 'cancel'): void;
  isConnected(): boolean;
  /** Milliseconds that the request waits for a server of the model. */
  waitForServerMs(): number;
}

/** The least number of milliseconds that a request waits for a server after it was sent again. */
const NO_SERVER_MS = 5000;
/** The pause before the next attempt doubles with each attempt, up to this factor. */
const MAX_BACKOFF = 16;

/**
 * A request that waits for its answer. NATS does not report that a server has ended. Therefore,
 * after `retryMs` without an answer, the request asks the servers of the model whether one of them
 * works on it. If none reports so, the request is sent again; NATS may then choose another server.
 * A prediction has no side effects, so a server may run it twice.
 */
export class PendingRequest {
  readonly model: string;
  readonly #limits: RequestLimits;
  readonly #port: RequestPort;
  readonly #ended: Promise<Reply>;
  #resolve!: (reply: Reply) => void;
  #reject!: (error: unknown) => void;
  readonly #onAbort = () => {
    this.#port.control('cancel');
    this.fail(this.#limits.signal!.reason);
  };
  #timer: ClockTimer | undefined;
  #isEnded = false;
  #attempts = 0;
  /** Whether the request has asked the servers, and no server has reported yet. */
  #hasAsked = false;
  /** The time at which NATS first reported that no server receives the model. */
  #unansweredSince: number | undefined;

  constructor(model: string, limits: RequestLimits, port: RequestPort) {
    this.model = model;
    this.#limits = limits;
    this.#port = port;
    this.#ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Sends the request, and returns the answers of the server. */
  async run(): Promise<Reply> {
    const { signal } = this.#limits;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    try {
      this.#attempt();
      return await this.#ended;
    } finally {
      this.#isEnded = true;
      this.#timer?.cancel();
      signal?.removeEventListener('abort', this.#onAbort);
    }
  }

  answered(reply: Reply | BrezelError): void {
    if (reply instanceof BrezelError) this.fail(reply);
    else this.#resolve(reply);
  }

  fail(error: unknown): void {
    this.#reject(error);
  }

  /** Handles the report of a server, or the report of NATS that no server receives the model. */
  reported(isWorking: boolean): void {
    if (!isWorking) return this.#later(0, () => this.#attempt());
    this.#hasAsked = false;
    this.#wait();
  }

  /** Handles the report of NATS that no server receives the model. */
  unanswered(): void {
    const { clock, retryMs } = this.#port;
    this.#unansweredSince ??= clock.now();
    const waitMs = Math.max(this.#port.waitForServerMs(), this.#attempts > 1 ? NO_SERVER_MS : 0);
    if (clock.now() - this.#unansweredSince >= waitMs) this.fail(this.#noServer());
    else this.#later(retryMs, () => this.#attempt());
  }

  /** Sends the request again after the client has connected again. */
  reconnected(): void {
    this.#later(0, () => this.#attempt());
  }

  #attempt(): void {
    this.#hasAsked = false;
    this.#attempts++;
    this.#port.send(this.#attempts);
    this.#wait();
  }

  /** Waits for the answer, for `retryMs` or longer after several attempts. */
  #wait(): void {
    const factor = Math.min(MAX_BACKOFF, 2 ** (this.#attempts - 1));
    this.#later(this.#port.retryMs * factor, () => this.#onSilence());
  }

  #onSilence(): void {
    if (this.#hasAsked) return this.#attempt();
    this.#hasAsked = true;
    this.#port.control('status');
    this.#wait();
  }

  /** Calls a function later, unless the time of the request ends first. */
  #later(delayMs: number, call: () => void): void {
    if (this.#isEnded) return;
    const { clock } = this.#port;
    const due = clock.now() + delayMs;
    const look = () => {
      const now = clock.now();
      const { end } = this.#limits;
      if (now >= end) this.fail(this.#late());
      else if (now >= due) this.#guarded(call);
      // A timer may fire early, so `look` checks the time again.
      else this.#timer = clock.setTimeout(look, Math.max(1, Math.min(due, end) - now));
    };
    this.#timer?.cancel();
    look();
  }

  /** An exception in a timer would end the process, for example if the connection was closed. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }

  #late(): BrezelError {
    if (!this.#port.isConnected()) return natsError('ERR_NATS_CONNECTION', { received: 'no answer in time' });
    if (this.#unansweredSince !== undefined) return this.#noServer();
    const { deadlineMs } = this.#limits;
    if (deadlineMs === undefined) return natsError('ERR_NATS_TIMEOUT', { at: this.model });
    const details = { expected: `an answer within ${deadlineMs} ms`, at: this.model };
    return Object.assign(new BrezelError('ERR_RUNTIME_DEADLINE', DEADLINE, details), { name: 'RuntimeError' });
  }

  #noServer(): BrezelError {
    return natsError('ERR_NATS_NO_SERVER', { at: JSON.stringify(this.model) });
  }
}

/** The error that the runtime also throws, with a hint for clusters. */
const DEADLINE = {
  statusCode: 504,
  message: 'the deadline has passed',
  hint: 'increase deadlineMs, send fewer rows at once, or add servers to the cluster',
};
