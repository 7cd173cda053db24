/**
 * The time source for deadlines, delays and cool-down periods. Tests pass a clock that they advance
 * themselves.
 */
export interface Clock {
  /** Returns the milliseconds since a fixed moment. The result never decreases. */
  now(): number;
  /** Calls a function once, at least `delayMs` milliseconds later. */
  setTimeout(callback: () => void, delayMs: number): ClockTimer;
}

/** A function call that a clock makes later. */
export interface ClockTimer {
  /** Cancels the function call. Does nothing if the clock has already made the call. */
  cancel(): void;
  /** Lets the process end even if the clock has not made the call yet. Returns the timer. */
  unref(): ClockTimer;
}

/** The clock of this process. It is monotonic: changes of the system time do not affect it. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs) => new SystemTimer(setTimeout(callback, delayMs)),
};

class SystemTimer implements ClockTimer {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer;
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  unref(): this {
    this.#timer.unref();
    return this;
  }
}

/**
 * Waits at most `milliseconds` for a promise. Returns the result of the promise, or undefined if
 * the time is over first.
 */
export async function within<T>(clock: Clock, milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ClockTimer | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}
