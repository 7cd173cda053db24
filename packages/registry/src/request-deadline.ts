import { type CallLimits, type CallOptions, callLimits } from '@brezel/runtime';
import { GREATEST_MS } from './options.js';
import type { Version } from './version.js';

/** How long a request waits: its deadline and its signal hold for the load and for the prediction together. */
export class Patience {
  readonly #limits: CallLimits;

  /** Undefined for a request that waits as long as it takes. @throws ERR_RUNTIME_OPTION, the reason of a signal that is aborted already. */
  static of(version: Version, options: CallOptions): Patience | undefined {
    const limits = callLimits(version.reference, options);
    return limits && new Patience(limits);
  }

  private constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** Waits for a load, which goes on for others when this one leaves. @throws ERR_RUNTIME_DEADLINE, the signal's reason */
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
      if (limits.remainingMs > GREATEST_MS) return; // more than timers can wait
      let timer: NodeJS.Timeout | undefined;
      const look = () => {
        const { remainingMs } = limits;
        if (remainingMs <= 0) resolve();
        else timer = setTimeout(look, Math.ceil(remainingMs)); // it may ring a little early: then it looks again
      };
      look();
      ended.addEventListener('abort', () => clearTimeout(timer), { once: true });
    });
  }
}
