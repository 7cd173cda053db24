import type { Clock } from '@brezel/core';
/** The state of a device stage (in cool-down, absent or available), and its counters. */
export class StageHealth {
  readonly #retryMs: number;
  readonly #clock: Clock;
  #restUntil = 0;
  #calls = 0;
  #rows = 0;
  #transferBytes = 0;
  #failures = 0;
  #lastFailure: string | undefined;
  /** True if the machine does not have the device. */
  isAbsent = false;
  /** Total time of the calls in microseconds, from submitting rows to receiving answers. */
  micros = 0;
  /**
   * Number of rows that ran on the CPU, because they were too few for a call, or because the device
   * was not ready or failed.
   */
  cpuRows = 0;
  /** Number of rows that the CPU computed again because of NaN or infinities. */
  repairedRows = 0;

  constructor(retryMs: number, clock: Clock) {
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /** Whether the stage currently runs on the CPU after a failure. */
  get isResting(): boolean {
    return this.#clock.now() < this.#restUntil;
  }

  get failures(): number {
    return this.#failures;
  }

  /**
   * Counts a successful call.
   *
   * @param before the number of failures when the call started. If another call has failed in the
   * meantime, the success does not end the cool-down.
   */
  ran(rows: number, bytes: number, before: number): void {
    this.#calls += 1;
    this.#rows += rows;
    this.#transferBytes += bytes;
    if (this.#failures === before) this.#restUntil = 0;
  }

  absent(error: Error): void {
    this.isAbsent = true;
    this.#lastFailure = error.message;
  }

  failed(error: unknown): void {
    this.#failures += 1;
    this.#lastFailure = error instanceof Error ? error.message : String(error);
    this.#restUntil = this.#clock.now() + this.#retryMs;
  }

  stats(isOpen: boolean) {
    const state = this.isAbsent ? 'absent' : this.isResting ? 'resting' : isOpen ? 'ready' : 'opening';
    return {
      state: state as 'absent' | 'resting' | 'ready' | 'opening',
      calls: this.#calls,
      rows: this.#rows,
      cpuRows: this.cpuRows,
      repairedRows: this.repairedRows,
      transferBytes: this.#transferBytes,
      micros: this.micros,
      failures: this.#failures,
      ...(this.#lastFailure !== undefined && { lastFailure: this.#lastFailure }),
    };
  }
}
