import type { Clock, ClockTimer } from '@brezel/core';

/**
 * The timeout of one load. A load pauses its timeout while it waits in a queue, so that the timeout
 * measures only the load itself. All pauses together may last as long as the timeout. After that
 * time the timeout runs again, so that no load waits forever.
 */
export class LoadTimer {
  /** Resolves when the timeout has run out. */
  readonly expired: Promise<undefined>;
  readonly #clock: Clock;
  readonly #expire: () => void;
  #leftMs: number;
  /** How long the timeout may still be paused, in milliseconds. */
  #pauseLeftMs: number;
  #startedAt = 0;
  #pausedAt = 0;
  /** The timer that resolves `expired`. Undefined while the timeout is paused. */
  #timer: ClockTimer | undefined;
  /** The timer that ends a pause that lasts too long. */
  #pauseTimer: ClockTimer | undefined;
  /** The number of queues in which the load waits now. */
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

  /** Pauses the timeout. Returns a function that ends the pause. */
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
