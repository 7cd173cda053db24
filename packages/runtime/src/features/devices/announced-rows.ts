import type { DeviceStage } from './device-stage.js';

/**
 * Rows of one request that are on their way to the stages of a plan that a device runs: those that
 * are there wait for them.
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

  /** However the rows ended: nobody waits for them any more. */
  end(): void {
    for (const stage of [...this.#ahead]) this.at(stage);
  }
}
