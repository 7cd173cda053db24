import { until } from './until.js';

/** A clock that stands still until a test moves it. Fits `Clock` of @brezel/core. */
export class ManualClock {
  #now = 1000;
  readonly #earlyMs: number;
  #timers: { readonly at: number; readonly call: () => void }[] = [];
  #onSet: (() => void)[] = [];

  /** @param earlyMs how long before their time timers ring, as those of Node may. */
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

  /** Timers that are due later. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Waits until some code waits for this clock, at most so long: with `advance`, it goes on. */
  async untilTimer(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    while (!this.#timers.some(({ at }) => at <= this.#now + withinMs))
      await new Promise<void>((resolve) => this.#onSet.push(resolve));
  }

  /**
   * Moves on, and calls in order the timers that are due meanwhile, including timers that these
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

  /** Moves on as if the thread were busy meanwhile: timers that are due are called afterwards. */
  stall(milliseconds: number): void {
    this.#now += milliseconds;
    this.advance(0);
  }

  /** Moves on by `stepMs` whenever some code waits for this clock, until `work` is over. */
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
