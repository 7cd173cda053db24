import type { Clock, ClockTimer } from '@brezel/core';
import { type CallLimits, type CallOptions, callLimits } from '@brezel/runtime';

/**
 * Limits the time of one request. The deadline and the signal apply to the load and the prediction
 * together.
 */
export class RequestDeadline {
  readonly #limits: CallLimits;

  /**
   * Returns the limits of a request, or undefined if the request has neither a deadline nor a
   * signal. `at` names the version or the call in errors.
   * @throws ERR_RUNTIME_OPTION, and the reason of a signal that is already aborted.
   */
  static of(at: string, options: CallOptions, clock: Clock): RequestDeadline | undefined {
    const limits = callLimits(at, options, clock);
    return limits && new RequestDeadline(limits);
  }

  private constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a load. If the deadline passes or the signal aborts first, the load continues for
   * other requests.
   * @throws ERR_RUNTIME_DEADLINE, the reason of the signal
   */
  async wait<T>(load: Promise<T>): Promise<T> {
    const ended = new AbortController();
    try {
      await Promise.race([load, this.#over(ended.signal)]);
      this.#limits.check(0, 1);
      return await load;
    } finally {
      ended.abort();
    }
  }

  /** The signal and the time that is left for the prediction after the load. */
  get rest(): CallOptions {
    const { remainingMs, signal } = this.#limits;
    return { signal, ...(remainingMs !== Infinity && { deadlineMs: Math.max(remainingMs, Number.MIN_VALUE) }) };
  }

  /** Returns whether an error is the reason of the caller's aborted signal. */
  isOver(error: unknown): boolean {
    const { signal } = this.#limits;
    return signal?.aborted === true && error === signal.reason;
  }

  #over(ended: AbortSignal): Promise<void> {
    const limits = this.#limits;
    return new Promise((resolve) => {
      limits.signal?.addEventListener('abort', () => resolve(), { once: true, signal: ended });
      if (limits.remainingMs === Infinity) return;
      let timer: ClockTimer | undefined;
      const look = () => {
        if (limits.remainingMs <= 0) resolve();
        else timer = limits.later(look); // a timer may fire early, so `look` checks again
      };
      look();
      ended.addEventListener('abort', () => timer?.cancel(), { once: true });
    });
  }
}
