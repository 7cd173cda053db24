import type { Clock } from '@brezel/core';
/** Where a stage on a device stands: what it ran, whether it failed, and whether it rests. */
export class StageHealth {
  readonly #retryMs: number;
  readonly #clock: Clock;
  #restUntil = 0;
  #calls = 0;
  #rows = 0;
  #transferBytes = 0;
  #failures = 0;
  #lastFailure: string | undefined;
  /** The machine has no such device. */
  isAbsent = false;
  /** Time of its calls, from the rows' leaving to the answers' arriving. */
  micros = 0;
  /** Rows that the CPU ran instead: too few for a call, or the device failed. */
  cpuRows = 0;
  /** Rows whose answers the CPU made again. */
  repairedRows = 0;

  constructor(retryMs: number, clock: Clock) {
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /** The CPU runs the stage for the time being. */
  get isResting(): boolean {
    return this.#clock.now() < this.#restUntil;
  }

  get failures(): number {
    return this.#failures;
  }

  /**
   * A call was answered. @param before failures when it began: one that another call met since then
   * is not mended by this.
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
