import type { Clock, ClockTimer } from '@brezel/core';
import { type CallLimits, type CallOptions, callLimits } from '@brezel/runtime';
import type { Version } from './version.js';

/**
 * How long a request waits: its deadline and its signal hold for the load and for the prediction
 * together.
 */
export class RequestDeadline {
  readonly #limits: CallLimits;

  /**
   * Undefined for a request that waits as long as it takes. @throws ERR_RUNTIME_OPTION, the reason
   * of a signal that is aborted already.
   */
  static of(version: Version, options: CallOptions, clock: Clock): RequestDeadline | undefined {
    const limits = callLimits(version.reference, options, clock);
    return limits && new RequestDeadline(limits);
  }

  private constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a load, which goes on for others when this one leaves. @throws ERR_RUNTIME_DEADLINE,
   * the signal's reason
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

  /** What the prediction may still take. */
  get rest(): CallOptions {
    const { remainingMs, signal } = this.#limits;
    return { signal, ...(remainingMs !== Infinity && { deadlineMs: Math.max(remainingMs, Number.MIN_VALUE) }) };
  }

  /** Whether an error is the caller's wish. */
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
        else timer = limits.later(look); // it may ring a little early: then it looks again
      };
      look();
      ended.addEventListener('abort', () => timer?.cancel(), { once: true });
    });
  }
}
