import type { Clock, ClockTimer } from '@brezel/core';

/**
 * The timeout of one load. It can be paused while the load waits in a queue, so that only the time
 * of the load itself counts. All pauses together last at most as long as the timeout. Then the
 * timeout continues, so that no load waits forever.
 */
export class LoadTimer {
  /** Resolves when the time has passed. */
  readonly expired: Promise<undefined>;
  readonly #clock: Clock;
  readonly #expire: () => void;
  #leftMs: number;
  /** How long the timeout may still be paused, in milliseconds. */
  #pauseLeftMs: number;
  #startedAt = 0;
  #pausedAt = 0;
  /** Ends the load. Undefined while the timeout is paused. */
  #timer: ClockTimer | undefined;
  /** Ends the pause. */
  #pauseTimer: ClockTimer | undefined;
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
    this.#pauseLeftMs = milliseconds;
    this.#start();
  }

  /** Whether the load waits in a queue. */
  get isWaiting(): boolean {
    return this.#pauses > 0;
  }

  /** Stops the timeout. Returns a function that continues it. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#startPause();
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      if (--this.#pauses === 0) this.#endPause();
    };
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#stop();
    this.#pauseTimer?.cancel();
  }

  #startPause(): void {
    if (this.#isCancelled) return;
    this.#stop();
    this.#pausedAt = this.#clock.now();
    this.#pauseTimer = this.#clock.setTimeout(() => this.#endPause(), this.#pauseLeftMs);
  }

  #endPause(): void {
    if (this.#pauseTimer === undefined) return; // the pause has ended before
    this.#pauseTimer.cancel();
    this.#pauseTimer = undefined;
    this.#pauseLeftMs = Math.max(0, this.#pauseLeftMs - (this.#clock.now() - this.#pausedAt));
    this.#start();
  }

  #start(): void {
    if (this.#isCancelled) return;
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
