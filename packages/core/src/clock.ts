/**
 * Time source of deadlines, delays and cool-down periods. Tests pass a clock that they move
 * themselves.
 */
export interface Clock {
  /** Returns the milliseconds since a fixed moment. The result never decreases. */
  now(): number;
  /** Calls a function once, `delayMs` milliseconds from now or later. */
  setTimeout(callback: () => void, delayMs: number): ClockTimer;
}

/** A call that a clock will make later. */
export interface ClockTimer {
  /** Cancels the call. Has no effect after the call was made. */
  cancel(): void;
  /** Allows the process to end before the call is made. Returns the timer. */
  unref(): ClockTimer;
}

/** The clock of this process: monotonic, unaffected by changes of the system time. */
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
 * Waits for a promise for at most `milliseconds`. Returns undefined if the promise is still pending
 * then.
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
