import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { quantile } from '../statistics.js';
import { type Period, SlowCalls } from './slow-calls.js';
import type { Tails } from './tail-report.js';

/** The number of slowest calls in the report. */
const WORST = 10;
/**
 * The measurement reads the counters of the operating system after this many calls, and after each
 * slow call. Few calls between two reads make sure that the difference belongs to the slow call and
 * not to its neighbors. A read takes some µs, outside the measured calls.
 */
const WINDOW_CALLS = 64;
/**
 * After this many calls, the measurement lets the event loop run, because it delivers the reports
 * of garbage collections.
 */
const TURN_CALLS = 10_000;
/**
 * The number of calls before the measurement, as a fraction of the measured calls. These additional
 * calls make the JIT compile the code.
 */
const WARM_UP = 0.02;

/**
 * Measures each call of a function separately. A measured time includes about 40 ns for reading the
 * clock.
 *
 * @param run makes the call with this index, synchronously
 */
export async function measureTails(run: (call: number) => unknown, calls: number): Promise<Tails> {
  const collections: Period[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ start: startTime, end: startTime + duration });
  });
  for (let call = 0; call < Math.ceil(calls * WARM_UP); call++) run(call);
  observer.observe({ entryTypes: ['gc'] });
  const times = new Float64Array(calls).fill(0); // allocates all pages before the measurement
  const slow = new SlowCalls(WORST);
  for (let first = 0; first < calls; first += TURN_CALLS) {
    timeCalls(run, times, first, Math.min(calls, first + TURN_CALLS), slow);
    await setImmediate();
  }
  await setImmediate();
  observer.disconnect();
  times.sort();
  return {
    calls,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    p999: quantile(times, 0.999),
    p9999: quantile(times, 0.9999),
    worst: slow.withCauses(collections),
  };
}

/**
 * Measures the calls with the indices `first` to `end - 1`, and writes their times in µs to
 * `times`.
 */
function timeCalls(
  run: (call: number) => unknown,
  times: Float64Array,
  first: number,
  end: number,
  slow: SlowCalls,
): void {
  let before = process.resourceUsage();
  let { threshold } = slow;
  for (let call = first; call < end; call++) {
    const start = performance.now();
    run(call);
    const stop = performance.now();
    times[call] = (stop - start) * 1000;
    const isSlow = stop - start > threshold;
    if (!isSlow && (call - first) % WINDOW_CALLS !== WINDOW_CALLS - 1) continue;
    const after = process.resourceUsage();
    if (isSlow) {
      slow.add({ call, start, end: stop, before, after });
      ({ threshold } = slow);
    }
    before = after;
  }
}
