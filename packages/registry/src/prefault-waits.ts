import { type Clock, within } from '@brezel/core';

/**
 * The registry waits at most this many milliseconds for the pages of a fleet file. Afterwards,
 * `Runtime.warm` reads the remaining pages of the plan, and blocks the event loop meanwhile.
 */
const PREFAULT_MS = 30_000;

/**
 * Waits for the pages of fleet files. All plans of a file share the limit of 30 s, because their
 * sources return the same promise.
 */
export class PrefaultWaits {
  readonly #clock: Clock;
  /** The time at which the wait for a file ends. */
  readonly #ends = new WeakMap<Promise<void>, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a file is in memory, until its 30 s are over, or until `gone` rejects.
   * @throws the reason of `gone`.
   */
  async wait(prefaulted: Promise<void>, gone: Promise<never>): Promise<void> {
    const now = this.#clock.now();
    const end = this.#ends.get(prefaulted) ?? now + PREFAULT_MS;
    this.#ends.set(prefaulted, end);
    if (end > now) await within(this.#clock, end - now, Promise.race([prefaulted, gone]));
  }
}
