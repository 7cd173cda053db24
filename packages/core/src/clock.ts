/**
 * Time source of deadlines, delays and cool-down periods. Tests pass a clock that they move
 * themselves.
 */
export interface Clock {
  /** Returns milliseconds since a fixed moment. It never goes back. */
  now(): number;
  /** Calls a function once, `delayMs` milliseconds from now or later. */
  setTimeout(callback: () => void, delayMs: number): ClockTimer;
}

/** A pending call of a clock. */
export interface ClockTimer {
  /** Cancels the call. Has no effect after the call. */
  cancel(): void;
  /** Lets the process end without the call. Returns the timer. */
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

/** Waits for a promise at most `milliseconds`. Returns undefined when the time is over first. */
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
