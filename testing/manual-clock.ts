import { until } from './until.js';

/**
 * A clock that a test advances; otherwise its time does not change. It implements `Clock` of
 * @brezel/core.
 */
export class ManualClock {
  #now = 1000;
  readonly #earlyMs: number;
  #timers: { readonly at: number; readonly call: () => void }[] = [];
  #onSet: (() => void)[] = [];

  /**
   * @param earlyMs how many milliseconds too early timers fire. Node's timers may also fire too
   * early.
   */
  constructor({ earlyMs = 0 } = {}) {
    this.#earlyMs = earlyMs;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(call: () => void, delayMs: number) {
    const timer = { at: this.#now + Math.max(0, delayMs - this.#earlyMs), call };
    this.#timers.push(timer);
    for (const resolve of this.#onSet.splice(0)) resolve();
    const handle = {
      cancel: () => {
        this.#timers = this.#timers.filter((one) => one !== timer);
      },
      unref: () => handle,
    };
    return handle;
  }

  /** The number of timers that have not fired yet. */
  get timers(): number {
    return this.#timers.length;
  }

  /**
   * Waits until some code has set a timer on this clock that fires within `withinMs`. The test can
   * then call `advance`.
   */
  async untilTimer(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    while (!this.#timers.some(({ at }) => at <= this.#now + withinMs))
      await new Promise<void>((resolve) => this.#onSet.push(resolve));
  }

  /**
   * Advances the time. Calls the timers that become due, in order, including timers that these
   * calls set.
   */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    this.#now = end;
  }

  /**
   * Advances the time as if the thread were busy. The timers that became due are called afterwards.
   */
  stall(milliseconds: number): void {
    this.#now += milliseconds;
    this.advance(0);
  }

  /**
   * Advances the time by `stepMs` whenever some code waits for this clock, until `work` has
   * settled.
   */
  async run<T>(work: Promise<T>, stepMs: number): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) {
      await until(() => isOver || this.timers > 0);
      if (!isOver) this.advance(stepMs);
      await Promise.resolve();
    }
    return work;
  }
}
