import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Percentiles, percentilesOf } from './percentiles.js';

const RESOLUTION_MS = 10;

/**
 * Measures how late timers of this thread fire. Predictions and other work delay everything on the
 * thread.
 *
 * Node samples the delay of its timers natively, so the clock of the runtime has no effect.
 */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /**
   * Returns percentiles in nanoseconds. Each sample of the histogram includes one timer period,
   * which is subtracted.
   */
  stats(): Percentiles {
    return percentilesOf(this.#histogram, RESOLUTION_MS * 1e6);
  }

  stop(): void {
    this.#histogram.disable();
  }
}
