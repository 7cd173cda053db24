import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Percentiles, percentilesOf } from './percentiles.js';

const RESOLUTION_MS = 10;

/**
 * Measures how late the timers of this thread fire. The lag shows for how long predictions and
 * other work block the event loop.
 *
 * Node measures the lag itself, so the clock of the runtime has no effect.
 */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /**
   * Returns percentiles in nanoseconds. Node's samples include the timer period, which this method
   * subtracts.
   */
  stats(): Percentiles {
    return percentilesOf(this.#histogram, RESOLUTION_MS * 1e6);
  }

  stop(): void {
    this.#histogram.disable();
  }
}
