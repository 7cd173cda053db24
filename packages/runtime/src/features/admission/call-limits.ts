import { type Clock, type ClockTimer, optionNames } from '@brezel/core';
import { runtimeError } from '../../errors.js';

/** Options that limit how long a caller waits for an asynchronous prediction. */
export interface CallOptions {
  /**
   * The longest time from the call to the answer, in milliseconds, more than 0. After this time,
   * the call fails with ERR_RUNTIME_DEADLINE at the next check. The checks run at these times:
   * before the rows run, between two blocks of rows, between two operators in JavaScript, or
   * between two slices of a tensor program. A running function is never interrupted, and a finished
   * answer is returned. A backend that runs a black box receives a signal that aborts at this time.
   */
  readonly deadlineMs?: number;
  /**
   * If the signal aborts, the prediction ends at the next check, as after `deadlineMs`. The promise
   * of the call is rejected with the reason of the signal, by default an AbortError.
   */
  readonly signal?: AbortSignal;
}

/** The names of the options of `predictMany` and `predictTensors`. */
export const callOptionNames = optionNames<CallOptions>({ deadlineMs: true, signal: true });

/** The longest delay that Node's timers support, in milliseconds. */
const GREATEST_MS = 2 ** 31 - 1;

/** The deadline and the signal of one call. */
export class CallLimits {
  readonly #plan: string;
  readonly #clock: Clock;
  readonly #start: number;
  readonly #deadlineMs: number;
  readonly signal: AbortSignal | undefined;

  /**
   * @throws ERR_RUNTIME_OPTION for an invalid option; the reason of the signal if the signal is
   * already aborted.
   */
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

  /** The time until the deadline, in milliseconds. */
  get remainingMs(): number {
    return this.#deadlineMs === Infinity ? Infinity : this.#deadlineMs - (this.#clock.now() - this.#start);
  }

  /**
   * Calls a function when the deadline passes. A timer may fire early, so the function must check
   * `remainingMs`.
   */
  later(callback: () => void): ClockTimer {
    return this.#clock.setTimeout(callback, Math.min(Math.max(1, Math.ceil(this.remainingMs)), GREATEST_MS));
  }

  /**
   * Throws if the signal has aborted or the deadline has passed.
   * @param answered number of rows that are already answered
   * @param rows number of rows of the call; undefined if a stream has not ended
   * @param unit what `answered` and `rows` count, for the message
   * @throws the reason of the signal, or ERR_RUNTIME_DEADLINE.
   */
  check(answered: number, rows?: number, unit: 'rows' | 'requests' = 'rows'): void {
    this.signal?.throwIfAborted();
    const { remainingMs } = this;
    if (remainingMs > 0) return;
    throw runtimeError('ERR_RUNTIME_DEADLINE', {
      received: `${answered}${rows === undefined ? '' : ` of ${rows}`} ${unit} answered after ${(this.#deadlineMs - remainingMs).toFixed(1)} ms, deadlineMs ${this.#deadlineMs}`,
      at: this.#plan,
    });
  }
}

/**
 * Returns the limits of a call, or undefined if the options contain neither a deadline nor a
 * signal.
 */
export function callLimits(plan: string, options: CallOptions, clock: Clock): CallLimits | undefined {
  const { deadlineMs, signal } = options;
  return deadlineMs === undefined && signal === undefined ? undefined : new CallLimits(plan, options, clock);
}

const wrongOption = (at: string, expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(received), at });
