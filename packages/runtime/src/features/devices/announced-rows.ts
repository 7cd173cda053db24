import type { DeviceStage } from './device-stage.js';

/**
 * Rows of one request that will arrive at device stages later. Until these rows arrive, the stages
 * delay other gathered rows, so that all rows run in one call.
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

  /** Ends the announcement, so that stages no longer wait for these rows. */
  end(): void {
    for (const stage of [...this.#ahead]) this.at(stage);
  }
}
