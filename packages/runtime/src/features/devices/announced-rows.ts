import type { DeviceStage } from './device-stage.js';

/**
 * Announces to the device stages of a plan that the rows of one request will arrive later. Until
 * then, a stage delays the rows of other requests, so that all these rows run in one device call.
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

  /**
   * Cancels the announcement at the stages that the rows have not reached, so that these stages
   * stop waiting.
   */
  end(): void {
    for (const stage of [...this.#ahead]) this.at(stage);
  }
}
