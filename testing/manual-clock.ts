/** A clock that stands still until a test moves it. Fits `Clock` of @brezel/core. */
export class ManualClock {
  #now = 1000;
  #timers: { readonly at: number; readonly call: () => void }[] = [];
  #onSet: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  setTimeout(call: () => void, delayMs: number) {
    const timer = { at: this.#now + Math.max(0, delayMs), call };
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

  /** Waits until some code waits for this clock: with `advance`, it goes on. */
  async untilTimer(): Promise<void> {
    while (this.#timers.length === 0) await new Promise<void>((resolve) => this.#onSet.push(resolve));
  }

  /** Moves on, and calls in order the timers that are due meanwhile, those that they set included. */
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
}
