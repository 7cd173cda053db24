import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Percentiles, percentilesOf } from './percentiles.js';

const RESOLUTION_MS = 10;

/**
 * How much later than they should timers of this thread fire: what predictions, and whatever else
 * runs here, cost everybody.
 */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /**
   * In nanoseconds. The histogram counts from timer to timer, so each sample has its period too
   * much.
   */
  stats(): Percentiles {
    return percentilesOf(this.#histogram, RESOLUTION_MS * 1e6);
  }

  stop(): void {
    this.#histogram.disable();
  }
}
