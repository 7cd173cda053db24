import type { Clock } from 'brezel';
import type { ModelLoad } from '../placement/server-state.js';

interface Measured {
  inFlight: number;
  /** The sum over time of the requests in flight, in request-milliseconds. */
  area: number;
  since: number;
  requests: number;
  totalMs: number;
}

/** Measures the requests to each model: the mean number in flight, and their mean duration. */
export class LoadMeter {
  readonly #clock: Clock;
  readonly #models = new Map<string, Measured>();
  #takenAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#takenAt = clock.now();
  }

  /**
   * Counts a request that starts. Returns a function that the caller calls when the request ends.
   */
  start(model: string): () => void {
    const now = this.#clock.now();
    const measured = this.#models.get(model) ?? { inFlight: 0, area: 0, since: now, requests: 0, totalMs: 0 };
    this.#models.set(model, measured);
    addArea(measured, now);
    measured.inFlight++;
    return () => {
      const end = this.#clock.now();
      addArea(measured, end);
      measured.inFlight--;
      measured.requests++;
      measured.totalMs += end - now;
    };
  }

  /** Returns the load of the models since the last call. Models without requests are absent. */
  take(): Record<string, ModelLoad> {
    const now = this.#clock.now();
    const elapsed = Math.max(1, now - this.#takenAt);
    this.#takenAt = now;
    const loads: Record<string, ModelLoad> = Object.create(null);
    for (const [model, measured] of this.#models) {
      addArea(measured, now);
      const { area, requests, totalMs, inFlight } = measured;
      if (inFlight === 0 && requests === 0) this.#models.delete(model);
      else loads[model] = { queue: area / elapsed, meanMs: requests === 0 ? 0 : totalMs / requests };
      Object.assign(measured, { area: 0, requests: 0, totalMs: 0 });
    }
    return loads;
  }
}

function addArea(measured: Measured, now: number): void {
  measured.area += measured.inFlight * (now - measured.since);
  measured.since = now;
}
