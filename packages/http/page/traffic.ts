import type { ServerStatistics } from '../src/statistics/server-statistics.js';
import { percentileMs, timesSince } from '../src/statistics/time-window.js';
import { LiveChart } from './live-chart.js';
import { count, digits, milliseconds } from './numbers.js';

/** The two charts of the last minutes: requests per second, and latency. */
export class Traffic {
  readonly #rate = new LiveChart('Requests per second', ['requests per second']);
  readonly #latency = new LiveChart('Latency in milliseconds', ['median', '99th percentile']);
  #before: { readonly statistics: ServerStatistics; readonly at: number } | undefined;

  constructor(place: HTMLElement) {
    place.append(this.#rate.element, this.#latency.element);
  }

  /** @param at the time of the reading, in milliseconds. */
  update(statistics: ServerStatistics, at: number): void {
    const before = this.#before;
    this.#before = { statistics, at };
    if (before === undefined) return;
    const times = timesSince(statistics.requests.times, before.statistics.requests.times);
    const rate = times.count / ((at - before.at) / 1000);
    const [p50, p99] = [percentileMs(times, 0.5), percentileMs(times, 0.99)];
    const { inFlight, failed } = statistics.requests;
    this.#rate.add(at, [rate], `${digits(rate)} requests/s, ${count(inFlight)} in flight, ${count(failed)} failed`);
    this.#latency.add(at, [p50, p99], `median ${milliseconds(p50)} ms, 99th percentile ${milliseconds(p99)} ms`);
  }
}
