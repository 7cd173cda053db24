import type { Clock, ClockTimer } from '@brezel/core';
import { runtimeError } from '../../errors.js';

/** How long a caller wants to wait for an asynchronous prediction. */
export interface CallOptions {
  /**
   * Milliseconds from the call on, more than 0. When they are over before the prediction begins,
   * between two blocks of its rows, or between two operators that run in JavaScript, it ends with
   * ERR_RUNTIME_DEADLINE. A function that runs is never cut off, and an answer that is there is
   * given.
   */
  readonly deadlineMs?: number;
  /**
   * Ends the prediction likewise; it rejects with the signal's reason, an AbortError unless its
   * owner said otherwise.
   */
  readonly signal?: AbortSignal;
}

/** What timers can wait. */
const GREATEST_MS = 2 ** 31 - 1;

/** Deadline and signal of one call. */
export class CallLimits {
  readonly #plan: string;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #deadlineMs: number;
  readonly signal: AbortSignal | undefined;

  /** @throws ERR_RUNTIME_OPTION; what `check` throws, when the signal is aborted already. */
  constructor(plan: string, { deadlineMs = Infinity, signal }: CallOptions, clock: Clock) {
    if (!(typeof deadlineMs === 'number' && deadlineMs > 0))
      throw wrongOption(plan, 'deadlineMs, more than 0', deadlineMs);
    if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
      throw wrongOption(plan, 'signal, an AbortSignal', signal);
    this.#plan = plan;
    this.#clock = clock;
    this.#start = clock.now();
    this.#deadlineMs = deadlineMs;
    this.signal = signal;
    signal?.throwIfAborted();
  }

  /** What is left of the time, in milliseconds. */
  get remainingMs(): number {
    return this.#deadlineMs === Infinity ? Infinity : this.#deadlineMs - (this.#clock.now() - this.#start);
  }

  /**
   * Calls a function when the time is over. A timer may ring early: the function looks at
   * `remainingMs`.
   */
  later(callback: () => void): ClockTimer {
    return this.#clock.setTimeout(callback, Math.min(Math.max(1, Math.ceil(this.remainingMs)), GREATEST_MS));
  }

  /**
   * @param answered rows that were answered so far.
   * @throws the signal's reason, or ERR_RUNTIME_DEADLINE.
   */
  check(answered: number, rows: number): void {
    this.signal?.throwIfAborted();
    const { remainingMs } = this;
    if (remainingMs > 0) return;
    throw runtimeError('ERR_RUNTIME_DEADLINE', {
      received: `${answered} of ${rows} rows answered after ${(this.#deadlineMs - remainingMs).toFixed(1)} ms, deadlineMs ${this.#deadlineMs}`,
      at: this.#plan,
    });
  }
}

/** The limits of a call; undefined where it has none, so that nothing needs checking. */
export function callLimits(plan: string, options: CallOptions, clock: Clock): CallLimits | undefined {
  const { deadlineMs, signal } = options;
  return deadlineMs === undefined && signal === undefined ? undefined : new CallLimits(plan, options, clock);
}

const wrongOption = (at: string, expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
