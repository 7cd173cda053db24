import type { DeviceStage } from './device-stage.js';

/**
 * Rows of one request that have not reached the device stages of a plan yet. Gathered rows wait for
 * them.
 */
export class AnnouncedRows {
  readonly #rows: number;
  readonly #ahead: Set<DeviceStage>;

  constructor(stages: Iterable<DeviceStage>, rows: number) {
    this.#rows = rows;
    this.#ahead = new Set(stages);
    for (const stage of this.#ahead) stage.announce(rows);
  }

  at(stage: DeviceStage): void {
    if (this.#ahead.delete(stage)) stage.arrived(this.#rows);
  }

  /** Ends the announcement, so that gathered rows no longer wait for these rows. */
  end(): void {
    for (const stage of [...this.#ahead]) this.at(stage);
  }
}
