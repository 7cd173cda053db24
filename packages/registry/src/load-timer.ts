import type { Clock, ClockTimer } from '@brezel/core';

/**
 * The timeout of one load. It can be paused while the load waits in a queue, so that only the time
 * of the load itself counts.
 */
export class LoadTimer {
  /** Resolves when the time has passed. */
  readonly expired: Promise<undefined>;
  readonly #clock: Clock;
  readonly #expire: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: ClockTimer | undefined;
  /** The number of queues that the load waits in. */
  #pauses = 0;
  #isCancelled = false;

  /** Starts the timeout. */
  constructor(clock: Clock, milliseconds: number) {
    let expire: (() => void) | undefined;
    this.expired = new Promise((resolve) => {
      expire = () => resolve(undefined);
    });
    this.#expire = expire!;
    this.#clock = clock;
    this.#leftMs = milliseconds;
    this.#start();
  }

  /** Stops the timeout. Returns a function that continues it. */
  pause(): () => void {
    this.#stop();
    this.#pauses++;
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      this.#pauses--;
      this.#start();
    };
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#stop();
  }

  #start(): void {
    if (this.#isCancelled || this.#pauses > 0) return;
    this.#startedAt = this.#clock.now();
    this.#timer = this.#clock.setTimeout(this.#expire, this.#leftMs);
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#startedAt));
  }
}
